import EventLog
import PerennialTestSupport
import Shards
import Testing

/// Counting a shard page by page while commits go on.
@Suite struct CensusTests {
    private typealias Machine = StateCountMachine<String>

    private func change(_ key: UInt8, _ sequence: Int64, from before: String?, to after: String?) -> Machine.Change {
        Machine.Change(key: [key], sequence: LogSequence(rawValue: sequence), from: before, to: after)
    }

    @Test func aCommitThatAPageHasMissedCounts() throws {
        // given: a page that was read before stream 1 expired
        var machine = Machine()
        let begun = machine.begin()
        let run = try #require(begun)
        let early = machine.record(
            [self.change(1, 8, from: "subscribed", to: "expired")], after: LogSequence(rawValue: 7))
        // when it comes
        let counted = machine.add(
            ["subscribed", "subscribed"], upTo: nil, newest: LogSequence(rawValue: 7), in: run)
        // then
        #expect(early == [:])
        #expect(counted == ["subscribed": 1, "expired": 1])
    }

    @Test func aCommitThatIsInAPageCountsOnce() throws {
        // given: a page with a stream that nobody has told of yet
        var machine = Machine()
        let begun = machine.begin()
        let run = try #require(begun)
        let counted = machine.add(["subscribed"], upTo: nil, newest: LogSequence(rawValue: 8), in: run)
        // when
        let told = machine.record([self.change(1, 8, from: nil, to: "subscribed")], after: LogSequence(rawValue: 7))
        let next = machine.record(
            [self.change(1, 9, from: "subscribed", to: "expired")], after: LogSequence(rawValue: 8))
        // then
        #expect(counted == ["subscribed": 1])
        #expect(told == [:])
        #expect(next == ["subscribed": -1, "expired": 1])
    }

    @Test func aShardIsCountedOnceUntilItIsForgotten() throws {
        // given
        var machine = Machine()
        let begun = machine.begin()
        let run = try #require(begun)
        let again = machine.begin()
        _ = machine.add(["subscribed", "expired", "expired"], upTo: [3], newest: LogSequence(rawValue: 7), in: run)
        // when
        let back = machine.forget()
        let late = machine.add(["subscribed"], upTo: nil, newest: LogSequence(rawValue: 7), in: run)
        let unheard = machine.record([self.change(1, 8, from: nil, to: "subscribed")], after: LogSequence(rawValue: 7))
        let anew = machine.begin()
        // then
        #expect(again == nil)
        #expect(back == ["subscribed": -1, "expired": -2])
        #expect(late == nil)
        #expect(unheard == [:])
        #expect(anew != nil && anew != run)
    }

    /// A shard in a store: what is durable may not have been told of, and what has been read may not have come.
    private struct Shard {
        struct Row {
            var label: String
            var sequence: Int64
        }

        var rows: [UInt8: Row] = [:]
        var head: Int64 = 0
        var untold: [(changes: [Machine.Change], after: Int64)] = []
        var page: (labels: [String], last: [UInt8]?, newest: Int64)?
        var progress: UInt8?
        var isRead = false

        mutating func commit(_ random: inout SeededGenerator) {
            let before = self.head
            var changes: [Machine.Change] = []
            for key in Set((0...1).map { _ in UInt8.random(in: 0..<12, using: &random) }).sorted() {
                self.head += 1
                let label = ["subscribed", "retry", "expired"].randomElement(using: &random)!
                changes.append(
                    Machine.Change(
                        key: [key], sequence: LogSequence(rawValue: self.head), from: self.rows[key]?.label, to: label))
                self.rows[key] = Row(label: label, sequence: self.head)
            }
            self.untold.append((changes: changes.shuffled(using: &random), after: before))
        }

        mutating func read() {
            let after = self.progress.map { Int($0) } ?? -1
            let keys = self.rows.keys.sorted().filter { Int($0) > after }.prefix(3)
            let rows = keys.compactMap { self.rows[$0] }
            self.page = (
                labels: rows.map(\.label), last: keys.count == 3 ? keys.last.map { [$0] } : nil,
                newest: rows.map(\.sequence).max() ?? 0
            )
        }
    }

    @Test(arguments: 0..<200) func countsWhatTheStoreHolds(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var machine = Machine()
        var shard = Shard()
        var gauges: [String: Int] = [:]
        for _ in 0..<5 { shard.commit(&random) }
        let begun = machine.begin()
        let run = try #require(begun)
        while !shard.isRead || !shard.untold.isEmpty {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: if shard.head < 100 { shard.commit(&random) }
            case 1 where !shard.untold.isEmpty:
                let (changes, after) = shard.untold.removeFirst()
                gauges.merge(machine.record(changes, after: LogSequence(rawValue: after)), uniquingKeysWith: +)
            case 2: if shard.page == nil, !shard.isRead { shard.read() }
            default:
                guard let page = shard.page else { continue }
                let added = machine.add(
                    page.labels, upTo: page.last, newest: LogSequence(rawValue: page.newest), in: run)
                gauges.merge(try #require(added), uniquingKeysWith: +)
                shard.page = nil
                shard.progress = page.last?.first
                shard.isRead = page.last == nil
            }
        }
        let held = Dictionary(grouping: shard.rows.values, by: \.label).mapValues(\.count)
        #expect(gauges.filter { $0.value != 0 } == held)
    }
}
