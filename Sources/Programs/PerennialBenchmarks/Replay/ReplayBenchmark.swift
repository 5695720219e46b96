import EventLog
import Queries
import SQLiteStore
import Synchronization

/// All states made anew from the log of a SQLite store.
struct ReplayBenchmark: Benchmark {
    static let name = "replay"
    static let abstract = "events a second folded into states from the log"

    private static let events = 60_000
    private static let rounds = 7
    private static let width = 4

    func run(in workspace: Workspace) async throws -> [Figure] {
        workspace.say("  signing and deciding \(Self.events) events")
        let log = try await RecordedLog(atLeast: Self.events, authority: workspace.supplies.authority)
        let store = try SQLiteEventStore(
            configuration: SQLiteConfiguration(path: await workspace.supplies.newStore()))
        try await Supplies.onItsOwnThread { try log.write(to: store) }
        var rates: [Double] = []
        for _ in 0..<Self.rounds { rates.append(try await Self.replay(store, expecting: log.eventCount)) }
        try store.close()
        return [Figure("events replayed from SQLite into states", rates.median(), "1/s", goal: .valueAtLeast(100_000))]
    }

    private static func replay(_ store: SQLiteEventStore, expecting count: Int) async throws -> Double {
        let replayed = Atomic<Int64>(0)
        let start = ContinuousClock.now
        let shards = (0..<store.identity.shardCount).map { ShardID(rawValue: UInt16($0)) }
        try await LogReplay(store: store).replay(shards, width: Self.width) { _, streams in
            // A stream's version is the number of its events.
            let events = streams.reduce(0) { $0 + $1.version.rawValue }
            replayed.wrappingAdd(events, ordering: .relaxed)
        }
        let took = ContinuousClock.now - start
        guard Int(replayed.load(ordering: .relaxed)) == count else {
            throw BenchmarkError("the replay did not find all events")
        }
        return Double(count) / took.seconds
    }
}
