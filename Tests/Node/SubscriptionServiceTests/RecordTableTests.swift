import Ownership
import PerennialTestSupport
import Shards
import Subscriptions
import Testing

@Suite struct RecordTableTests {
    private static func name(_ number: Int) -> RecordTable.Name {
        RecordTable.Name(digest: IDDigest(id: "\(number)"), kind: number % 3 == 0 ? .purchase : .subscription)
    }

    private static func content(of name: RecordTable.Name, in table: inout RecordTable) -> [UInt8]? {
        table.withContent(of: name) { Array($0) }
    }

    @Test func keepsNothingThatIsTooLongForARecord() {
        var table = RecordTable(limit: 10)
        let name = Self.name(1)
        table.set([1, 2, 3], under: name)
        table.set([UInt8](repeating: 1, count: 64_001), under: name)
        #expect(Self.content(of: name, in: &table) == nil)
        #expect(table.count == 0)
    }

    @Test func holdsWhatADictionaryHolds() {
        var random = SeededGenerator(seed: 7)
        var table = RecordTable(limit: 10_000)
        var model: [RecordTable.Name: [UInt8]] = [:]
        for step in 0..<60_000 {
            let name = Self.name(Int.random(in: 0..<3_000, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let length = Int.random(in: 0...(step % 500 == 0 ? 20_000 : 60), using: &random)
                let content = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                table.set(content, under: name)
                model[name] = content
            case 5:
                table.remove(name)
                model[name] = nil
            default:
                #expect(Self.content(of: name, in: &table) == model[name])
            }
        }
        #expect(table.count == model.count)
        for (name, content) in model { #expect(Self.content(of: name, in: &table) == content) }
        // Holes are worked off.
        let live = model.values.reduce(0) { $0 + $1.count + 19 }
        #expect(table.slabBytes < 3 * live + 100_000)
        table.removeAll()
        #expect(table.count == 0)
        #expect(model.keys.allSatisfy { !table.contains($0) })
    }

    @Test func whatIsAskedForStaysAndTheRestMakesRoom() {
        var table = RecordTable(limit: 1_000)
        for number in 0..<1_000 { table.set([1, 2, 3], under: Self.name(number)) }
        // Once round, the hand forgets who was asked for.
        for number in 1_000..<2_000 { table.set([4], under: Self.name(number)) }
        #expect(table.count == 1_000)
        let favourites = (1_500..<1_600).map(Self.name)
        for number in 2_000..<20_000 {
            for favourite in favourites { _ = Self.content(of: favourite, in: &table) }
            table.set([UInt8(number & 0xFF)], under: Self.name(number))
            guard number % 1_000 == 0 else { continue }
            #expect(table.count == 1_000)
            #expect(favourites.allSatisfy { Self.content(of: $0, in: &table) == [4] })
        }
        #expect(Self.content(of: Self.name(19_999), in: &table) == [19_999 & 0xFF])
        #expect(table.slabBytes < 200_000)
    }

    @Test func oneKindIsNotTheOther() {
        var table = RecordTable(limit: 10)
        let digest = IDDigest(id: "1")
        table.set([1], under: RecordTable.Name(digest: digest, kind: .subscription))
        #expect(!table.contains(RecordTable.Name(digest: digest, kind: .purchase)))
        table.set([2], under: RecordTable.Name(digest: digest, kind: .purchase))
        #expect(Self.content(of: RecordTable.Name(digest: digest, kind: .subscription), in: &table) == [1])
        #expect(Self.content(of: RecordTable.Name(digest: digest, kind: .purchase), in: &table) == [2])
    }
}
