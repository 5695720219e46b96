import Mirroring
import PerennialTestSupport
import Testing

@Suite struct NumberListsTests {
    /// Few hashes, some of which share their upper half, so that lists are long and gaps are many.
    private static let hashes = (0..<40 as Range<UInt64>).map { ($0 % 13) << 34 | $0 }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `holds what was inserted and not removed`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var lists = NumberLists()
        var model: Set<[UInt64]> = []
        for _ in 0..<2_000 {
            let hash = Self.hashes.randomElement(using: &random)!
            let number = Int.random(in: 0..<60, using: &random)
            if Int.random(in: 0..<5, using: &random) < 2 {
                lists.remove(number, hash)
                model = model.filter { $0[0] >> 32 != hash >> 32 || $0[1] != UInt64(number) }
            } else if model.insert([(hash >> 32) << 32, UInt64(number)]).inserted {
                lists.insert(number, hash)
            }
        }
        for hash in Self.hashes {
            var found: [UInt64] = []
            lists.forEach(hash) { number in
                found.append(UInt64(number))
                return true
            }
            #expect(found.sorted() == model.filter { $0[0] >> 32 == hash >> 32 }.map { $0[1] }.sorted())
        }
    }

    @Test func `gives back what was emptied`() {
        var lists = NumberLists()
        for number in 0..<5_000 { lists.insert(number, UInt64(number) << 32) }
        let bytes = lists.bytes
        for _ in 0..<5 {
            for number in 0..<5_000 { lists.remove(number, UInt64(number) << 32) }
            for number in 0..<5_000 { lists.insert(number, UInt64(number) << 32) }
        }
        #expect(lists.bytes == bytes)
    }
}
