import AppStore
import Entitlements
import EventLog
import InMemoryStore
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import SQLiteStore
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions

/// What a test's node is made of.
struct Node {
    static let start = Moment(milliseconds: 1_760_000_000_000)

    var apple: TestAppStore
    var store: any EventStore
    var clock = ManualClock(Self.start)
    var configuration = RuntimeConfiguration()
    var bundles = TestAppStore.bundles
    /// nil for one of its own.
    var verification: VerificationPool?
    let log = LogLines()
    var catalog = Catalog([Catalog.Entry(entitlement: "pro", products: ["pro.monthly"])])

    init(store: any EventStore = InMemoryEventStore(shardCount: 16)) throws {
        self.apple = try TestAppStore()
        self.store = store
        self.configuration.storePatience = .seconds(3_600)
    }

    /// Runs a service for as long as `body` takes; it has taken its shards when that begins, and has stopped, with
    /// everything accepted settled, when this returns.
    func run<Value: Sendable>(
        _ body: @Sendable (SubscriptionService) async throws -> Value
    ) async throws -> Value {
        let service = try self.service()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            // One whose clock is wrong has them as well, and says that it is not ready.
            await eventually { service.readiness(for: .reads).reasons.allSatisfy { $0.hasPrefix("the clock is ") } }
            let result: Result<Value, any Error>
            do { result = .success(try await body(service)) } catch { result = .failure(error) }
            group.cancelAll()
            try? await group.waitForAll()
            return try result.get()
        }
    }

    func service() throws -> SubscriptionService {
        let apps = try self.apple.apps(self.bundles)
        let verifier = PayloadVerifier(apps: apps)
        return try SubscriptionService(
            store: self.store, configuration: self.configuration, clock: self.clock,
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier, apps: apps),
            verification: self.verification ?? VerificationPool(threads: 2),
            catalog: self.catalog, logger: self.log.logger)
    }

    static func sqlite(in directory: TemporaryDirectory) throws -> SQLiteEventStore {
        var configuration = SQLiteConfiguration(path: directory.path("store.db"))
        configuration.shardCount = 16
        return try SQLiteEventStore(configuration: configuration)
    }

    static func postgres(in database: PostgresDatabase) throws -> PostgresEventStore {
        var configuration = PostgresConfiguration(connectionString: database.url)
        configuration.shardCount = 16
        return try PostgresEventStore(configuration: configuration)
    }
}

/// Waits, without a clock, until something has become true. The time limit of the test, which cancels it, is the only bound.
func eventually(_ condition: () async throws -> Bool) async rethrows {
    while !Task.isCancelled, try await !condition() {
        await Task.yield()
        try? await Task.sleep(for: .milliseconds(1))
    }
}

extension SubscriptionService {
    /// Every event of a stream.
    func history(_ stream: StreamReference) async throws -> [EventView] {
        var events: [EventView] = []
        var cursor: String?
        repeat {
            let page = try await self.events(of: stream, after: cursor, limit: 100, evidence: false)
            events += page.events
            cursor = page.next
        } while cursor != nil
        return events
    }

    func view(_ id: String, at: Moment? = nil, knownAt: Moment? = nil) async throws -> SubscriptionView {
        try await self.subscription(SubscriptionQuery(stream: StreamReference(id: id), at: at, knownAt: knownAt))
    }

    func check(_ id: String, entitlement: String? = nil) async throws -> CheckVerdict? {
        let request = CheckRequest(stream: StreamReference(id: id), entitlement: entitlement)
        let response = try await self.check([request], consistency: .local, atLeast: nil)
        guard case .verdict(let verdict) = response.results.first else { return nil }
        return verdict
    }
}
