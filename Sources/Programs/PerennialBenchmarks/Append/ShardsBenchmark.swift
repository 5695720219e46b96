import AppStore
import Entitlements
import EventLog
import Logging
import PostgresHarness
import PostgresStore
import ServiceContract
import Shards
import SubscriptionService
import WireProtocol

/// Notifications through the shards into PostgreSQL: looked up, decided, gathered and appended; against plain inserts of
/// the rows that came of it.
struct ShardsBenchmark: Benchmark {
    static let name = "shards"
    static let abstract = "events that shards decide and append in PostgreSQL, against plain inserts of the same rows"

    private static let callers = 1_024
    private static let rounds = 7
    private static let submissionsPerRound = 4_096

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = 2 * (Self.rounds + 1) * Self.submissionsPerRound
        workspace.say("  signing and verifying \(count) notifications")
        let traffic = try await VerifiedTraffic(count: count, authority: workspace.supplies.authority)
        let database = try PostgresServer().makeDatabase()
        let store = try PostgresEventStore(configuration: PostgresConfiguration(connectionString: database.url))
        defer { store.close() }
        let plain = try PlainInsert(database.url)
        let service = try Self.service(on: store)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            defer { group.cancelAll() }
            while !service.readiness(for: .ingest).ready { try await Task.sleep(for: .milliseconds(10)) }
            var log = try await WrittenLog(store)
            let half = traffic.submissions.count / 2
            let small = try await Self.measure(traffic.submissions[..<half], by: service, against: plain, &log)
            let large = try await Self.measure(
                traffic.submissions[half...].map(\.filled)[...], by: service, against: plain, &log)
            return [
                Self.figure("appended events of 2 KB in PostgreSQL, through the shards", large, .ratioAtLeast(0.40)),
                Self.figure("the same, as large as notifications make them", small, nil),
            ]
        }
    }

    private typealias Round = (subject: Double, baseline: Double)

    private static func figure(_ name: String, _ rounds: [Round], _ goal: Figure.Goal?) -> Figure {
        Figure(
            name, rounds.map(\.subject).median(), "1/s", baseline: rounds.map(\.baseline).median(),
            ratio: rounds.map { $0.subject / $0.baseline }.median(), goal: goal)
    }

    private static func measure(
        _ submissions: ArraySlice<Submission>, by service: SubscriptionService, against plain: PlainInsert,
        _ log: inout WrittenLog
    ) async throws -> [Round] {
        var rest = submissions
        var rounds: [Round] = []
        for round in 0...Self.rounds {
            let submissions = rest.prefix(Self.submissionsPerRound)
            rest = rest.dropFirst(Self.submissionsPerRound)
            let took = try await Self.record(submissions, by: service)
            let batches = try await log.next(evidenceOf: submissions)
            let events = batches.reduce(0) { $0 + $1.count }
            let plainly = try Self.insert(batches, by: plain)
            // The first makes what the others find.
            guard round > 0 else { continue }
            rounds.append((Double(events) / took.seconds, Double(events) / plainly.seconds))
        }
        return rounds
    }

    private static func service(on store: PostgresEventStore) throws -> SubscriptionService {
        let apps = try AppDirectory([])
        let verifier = PayloadVerifier(apps: apps)
        return try SubscriptionService(
            store: store, configuration: RuntimeConfiguration(), clock: SystemClock(),
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier, apps: apps), verification: VerificationPool(),
            catalog: Catalog([]), logger: Logger(label: "shards"))
    }

    /// As many callers record one after the other.
    private static func record(
        _ submissions: ArraySlice<Submission>, by service: SubscriptionService
    ) async throws -> Duration {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in submissions.indices.prefix(Self.callers) {
                group.addTask {
                    for index in stride(from: first, to: submissions.endIndex, by: Self.callers) {
                        _ = try await service.record(submissions[index])
                    }
                }
            }
            try await group.waitForAll()
        }
        return .now - start
    }

    private static func insert(_ batches: [[ShardBatch]], by plain: PlainInsert) throws -> Duration {
        let columns = batches.map(plain.columns)
        let start = ContinuousClock.now
        for columns in columns { try plain.insert(columns) }
        return .now - start
    }
}
