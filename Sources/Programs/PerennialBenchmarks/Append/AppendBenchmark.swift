import EventLog
import PostgresHarness
import PostgresStore

/// Appends to PostgreSQL, against plain inserts of the same rows: what the fence, the streams' rows and their numbers
/// cost.
struct AppendBenchmark: Benchmark {
    static let name = "append"
    static let abstract = "events appended in PostgreSQL, and the bytes that each takes there, against plain inserts"

    private static let warmUp = 40
    private static let rounds = 61
    private static let batchesPerRound = 4

    func run(in workspace: Workspace) async throws -> [Figure] {
        let server = try PostgresServer()
        let database = try server.makeDatabase()
        var configuration = PostgresConfiguration(connectionString: database.url)
        configuration.appendConcurrency = 1
        let store = try PostgresEventStore(configuration: configuration)
        defer { store.close() }
        let owner = ShardRecord.Owner(node: NodeID(rawValue: "benchmark"), incarnation: Incarnation(rawValue: 1))
        var load = AppendLoad(try store.claim(ShardClaim(store.identity.shards, for: owner)))
        let plain = try PlainInsert(database.url)

        for _ in 0..<Self.warmUp { _ = try Self.round(1, of: &load, in: store, against: plain) }
        var rounds: [(subject: Duration, baseline: Duration)] = []
        for _ in 0..<Self.rounds {
            rounds.append(try Self.round(Self.batchesPerRound, of: &load, in: store, against: plain))
        }
        let events = Self.batchesPerRound * AppendLoad.eventsPerBatch
        let subject = rounds.map(\.subject).median() / events
        let baseline = rounds.map(\.baseline).median() / events
        return [
            Figure(
                "appended events in PostgreSQL, store alone, of a plain insert", subject.perSecond, "1/s",
                baseline: baseline.perSecond, ratio: rounds.map { $0.baseline / $0.subject }.median(),
                goal: .ratioAtLeast(0.50)),
            try Self.written(by: &load, to: store, in: database),
        ]
    }

    /// The same batches, appended and then inserted: what slows the machine down for a while slows both.
    private static func round(
        _ count: Int, of load: inout AppendLoad, in store: PostgresEventStore, against plain: PlainInsert
    ) throws -> (subject: Duration, baseline: Duration) {
        var times = (subject: Duration.zero, baseline: Duration.zero)
        for _ in 0..<count {
            let batches = try load.next()
            let columns = plain.columns(batches)
            let start = ContinuousClock.now
            guard try !store.append(batches).contains(.fenced) else {
                throw BenchmarkError("the new store has another owner")
            }
            let middle = ContinuousClock.now
            try plain.insert(columns)
            times.subject += middle - start
            times.baseline += .now - middle
        }
        return times
    }

    /// What reaches the server's log for an event, in all: rows, indexes, and pages that are written whole because they
    /// are touched for the first time since a checkpoint.
    private static func written(
        by load: inout AppendLoad, to store: PostgresEventStore, in database: PostgresDatabase
    ) throws -> Figure {
        let position = "SELECT pg_current_wal_lsn() - '0/0'"
        func logged() throws -> Double {
            guard let bytes = try database.query(position).first.flatMap(Double.init) else {
                throw BenchmarkError("the server does not say how much it has logged")
            }
            return bytes
        }
        let start = try logged()
        for _ in 0..<Self.warmUp { _ = try store.append(try load.next()) }
        let bytes = (try logged() - start) / Double(Self.warmUp * AppendLoad.eventsPerBatch)
        return Figure(
            "bytes logged by PostgreSQL for an event, beside its body", bytes - Double(AppendLoad.bodySize), "bytes")
    }
}
