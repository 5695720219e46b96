import AppStore
import EntitlementStream
import Entitlements
import EventLog
import Logging
import Mirroring
import Ownership
import Queries
import SQLiteStore
import ServiceContract
import Shards
import SubscriptionService
import ZeroMQ

/// A node alone on a store in a file, in this process, that publishes on free ports of this machine.
struct FollowedNode: Sendable {
    let service: SubscriptionService
    private let watch: DelayWatch
    private let source: StreamSource
    private let subscriber: CurveKeyPair

    /// Runs it for as long as `body` takes.
    static func run<Result: Sendable>(
        on path: String, _ body: @Sendable (FollowedNode) async throws -> Result
    ) async throws -> Result {
        let store = try SQLiteEventStore(configuration: SQLiteConfiguration(path: path))
        let (keys, subscriber) = (try CurveKeyPair(), try CurveKeyPair())
        let publisher = try Publisher(
            StreamConfiguration(
                bind: "tcp://127.0.0.1:*", keys: keys, subscribers: [subscriber.publicKey: "benchmark"]))
        let watch = DelayWatch(publisher)
        let service = try Self.service(on: store, telling: watch)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            group.addTask { try await publisher.run(serving: service.servedLog) }
            defer { group.cancelAll() }
            while !service.readiness(for: .ingest).ready { try await Task.sleep(for: .milliseconds(10)) }
            guard let endpoints = await publisher.endpoints() else { throw BenchmarkError("the node does not listen") }
            let source = StreamSource(endpoint: endpoints.stream, serverKey: keys.publicKey)
            return try await body(
                FollowedNode(service: service, watch: watch, source: source, subscriber: subscriber))
        }
    }

    private static func service(
        on store: any EventStore, telling listener: any ChangeListener
    ) throws -> SubscriptionService {
        let apps = try AppDirectory([])
        let verifier = PayloadVerifier(apps: apps)
        var configuration = RuntimeConfiguration()
        configuration.listener = listener
        return try SubscriptionService(
            store: store, configuration: configuration, clock: SystemClock(),
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier, apps: apps), verification: VerificationPool(),
            catalog: Catalog([]), logger: Logger(label: "follow"))
    }

    /// Follows it for as long as `body` takes.
    func follow<Result: Sendable>(
        _ body: @Sendable (EntitlementMirror) async throws -> Result
    ) async throws -> Result {
        guard let map = ShardHash(shardCount: self.service.servedLog.shardCount) else {
            throw BenchmarkError("a store has so many shards")
        }
        let mirror = EntitlementMirror(map: map)
        self.watch.watch(mirror)
        let follower = try Follower([self.source], keys: self.subscriber, logger: Logger(label: "follow")) { _, _ in
            self.watch
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await follower.run() }
            defer { group.cancelAll() }
            return try await body(mirror)
        }
    }

    /// How long each change took from its commit until the mirror had it.
    func delays() async throws -> [Duration] {
        try await Patience.until("all changes are visible") { self.watch.delays != nil }
        return self.watch.delays ?? []
    }
}
