import AppStore
package import EntitlementStream
package import Entitlements
package import EventLog
import InMemoryStore
import Logging
package import Mirroring
import ServiceContract
package import Shards
package import SubscriptionService
package import Subscriptions
import Synchronization
package import WireProtocol
package import ZeroMQ

/// A node alone that publishes on free ports of this machine, to one subscriber.
package struct PublishingNode {
    package static let start = Moment(milliseconds: 1_760_000_000_000)

    package let store: any EventStore
    package let subscriber: CurveKeyPair
    /// By which commits are dated and checks are answered.
    package let clock = ManualClock(Self.start)
    package var stream: StreamConfiguration
    package var runtime = RuntimeConfiguration()
    package var catalog = Catalog([])

    /// - Parameter store: of another node; nil for one of its own.
    package init(shardCount: Int = 16, sharing store: (any EventStore)? = nil) throws {
        self.store = store ?? InMemoryEventStore(shardCount: shardCount)
        self.subscriber = try CurveKeyPair()
        self.stream = StreamConfiguration(
            bind: "tcp://127.0.0.1:*", keys: try CurveKeyPair(), subscribers: [self.subscriber.publicKey: "analytics"])
        self.stream.beatInterval = .milliseconds(50)
        self.runtime.storePatience = .seconds(3_600)
    }

    /// Passes commits from the shards to the publisher, and drops some on demand.
    package final class Tap: ChangeListener {
        private let publisher: Publisher
        private let losses = Atomic(0)
        private let count = Atomic(0)

        package init(_ publisher: Publisher) { self.publisher = publisher }

        /// From now on nothing comes through, as if the network had lost it.
        package func close() { self.loseOne(of: 1) }

        /// From now on one commit of so many is lost.
        package func loseOne(of count: Int) { self.losses.store(count, ordering: .relaxed) }

        package var wantsCustomers: Bool { self.publisher.wantsCustomers }

        package func hear(_ deltas: [StreamDelta], of shard: ShardID) {
            let losses = self.losses.load(ordering: .relaxed)
            let number = self.count.wrappingAdd(1, ordering: .relaxed).newValue
            if losses == 0 || !number.isMultiple(of: losses) { self.publisher.hear(deltas, of: shard) }
        }
    }

    package struct Running: Sendable {
        package let service: SubscriptionService
        package let publisher: Publisher
        package let tap: Tap
        package let endpoints: Publisher.Endpoints
    }

    /// Runs the node for as long as `body` takes.
    package func run(_ body: @Sendable (Running) async throws -> Void) async throws {
        let publisher = try Publisher(self.stream)
        let tap = Tap(publisher)
        let service = try self.service(heardBy: tap)
        try await Self.run(service, publisher) {
            guard let endpoints = await publisher.endpoints() else { throw StreamFailure(.unavailable) }
            try await body(Running(service: service, publisher: publisher, tap: tap, endpoints: endpoints))
        }
    }

    /// The same of a node that keeps a mirror, as those of a cluster do.
    package func run(
        keeping mirror: EntitlementMirror,
        _ body: @Sendable (_ service: SubscriptionService, _ tap: Tap) async throws -> Void
    ) async throws {
        let publisher = try Publisher(self.stream)
        let tap = Tap(publisher)
        let service = try self.service(heardBy: tap)
        let keeper = try NodeMirror(
            mirror, publisher: publisher, of: service, advertisedHost: nil, logger: Self.logger)
        try await Self.run(service, publisher, beside: keeper.run) { try await body(service, tap) }
    }

    private static var logger: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

    private func service(heardBy listener: any ChangeListener) throws -> SubscriptionService {
        var runtime = self.runtime
        runtime.listener = listener
        let apps = try AppDirectory([])
        let verifier = PayloadVerifier(apps: apps)
        return try SubscriptionService(
            store: self.store, configuration: runtime, clock: self.clock,
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier, apps: apps), verification: VerificationPool(threads: 1),
            catalog: self.catalog, logger: Self.logger)
    }

    private static func run(
        _ service: SubscriptionService, _ publisher: Publisher,
        beside other: @escaping @Sendable () async throws -> Void = {}, _ body: @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            group.addTask { try await publisher.run(serving: service.servedLog) }
            group.addTask { try await other() }
            // One whose clock is wrong has its shards as well, and says that it is not ready.
            await eventually { service.readiness(for: .reads).reasons.allSatisfy { $0.hasPrefix("the clock is ") } }
            let result: Result<Void, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            group.cancelAll()
            try? await group.waitForAll()
            try result.get()
        }
    }

    /// How many events there are in each shard that has one.
    package func heads() async throws -> [ShardID: StreamPosition] {
        let heads = try await self.store.heads().filter { $0.sequence > .zero }
        return Dictionary(uniqueKeysWithValues: heads.map { ($0.shard, StreamPosition($0)) })
    }
}
