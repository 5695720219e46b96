import AppStore
import Entitlements
import EventSourcing
import Logging
import Mirroring
import PerennialTestSupport
import Publishing
import SubscriptionRuntime
import Subscriptions
import Synchronization
import WireProtocol
import ZeroMQ

/// A node alone that publishes on free ports of this machine, to one subscriber.
struct PublishingNode {
    static let start = Moment(milliseconds: 1_760_000_000_000)

    let store: any EventStore
    let subscriber: CurveKeyPair
    /// By which commits are dated and checks are answered.
    let clock = ManualClock(Self.start)
    var stream: StreamConfiguration
    var runtime = RuntimeConfiguration()

    init(shardCount: Int = 16) throws {
        self.store = InMemoryEventStore(shardCount: shardCount)
        self.subscriber = try CurveKeyPair()
        self.stream = StreamConfiguration(
            bind: "tcp://127.0.0.1:*", keys: try CurveKeyPair(), subscribers: [self.subscriber.publicKey: "analytics"])
        self.stream.beatInterval = .milliseconds(50)
    }

    /// What stands between the shards and the publisher.
    final class Tap: ChangeListener {
        private let publisher: Publisher
        private let losses = Atomic(0)
        private let count = Atomic(0)

        init(_ publisher: Publisher) { self.publisher = publisher }

        /// From now on nothing comes through, as if the network had lost it.
        func close() { self.loseOne(of: 1) }

        /// From now on one commit of so many is lost.
        func loseOne(of count: Int) { self.losses.store(count, ordering: .relaxed) }

        func hear(_ deltas: [StreamDelta], of shard: ShardID) {
            let losses = self.losses.load(ordering: .relaxed)
            let number = self.count.wrappingAdd(1, ordering: .relaxed).newValue
            if losses == 0 || !number.isMultiple(of: losses) { self.publisher.hear(deltas, of: shard) }
        }
    }

    struct Running: Sendable {
        let service: SubscriptionService
        let publisher: Publisher
        let tap: Tap
        let endpoints: Publisher.Endpoints
    }

    /// Runs the node for as long as `body` takes.
    func run(_ body: @Sendable (Running) async throws -> Void) async throws {
        let publisher = try Publisher(self.stream)
        let tap = Tap(publisher)
        let service = try self.service(heardBy: tap)
        try await Self.run(service, publisher) {
            guard let endpoints = await publisher.endpoints() else { throw StreamFailure(.unavailable) }
            try await body(Running(service: service, publisher: publisher, tap: tap, endpoints: endpoints))
        }
    }

    /// The same of a node that keeps a mirror, as those of a cluster do.
    func run(keeping mirror: EntitlementMirror, _ body: @Sendable () async throws -> Void) async throws {
        let publisher = try Publisher(self.stream)
        let service = try self.service(heardBy: publisher)
        let keeper = try NodeMirror(
            mirror, publisher: publisher, of: service, advertisedHost: nil, logger: Self.logger)
        try await Self.run(service, publisher, beside: keeper.run, body)
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
            catalog: Catalog([]), logger: Self.logger)
    }

    private static func run(
        _ service: SubscriptionService, _ publisher: Publisher,
        beside other: @escaping @Sendable () async throws -> Void = {}, _ body: @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            group.addTask { try await publisher.run(serving: service.servedLog) }
            group.addTask { try await other() }
            await eventually { service.readiness(for: .reads).ready }
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

    func subscribe(to node: Running, keys: CurveKeyPair? = nil, receiveLimit: Int32 = 100_000) -> Subscriber {
        Subscriber(
            endpoint: node.endpoints.stream, serverKey: self.stream.keys.publicKey, keys: keys ?? self.subscriber,
            receiveLimit: receiveLimit)
    }

    func questioner(of node: Running, keys: CurveKeyPair? = nil) -> Questioner {
        Questioner(
            endpoint: node.endpoints.service, serverKey: self.stream.keys.publicKey, keys: keys ?? self.subscriber)
    }

    /// How many events there are in each shard that has one.
    func heads() async throws -> [ShardID: StreamPosition] {
        let heads = try await self.store.heads().filter { $0.sequence > .zero }
        return Dictionary(uniqueKeysWithValues: heads.map { ($0.shard, StreamPosition($0)) })
    }
}

extension SubscriptionService {
    /// Records one period of each of several subscriptions, all at a time.
    func renew(_ ids: Range<Int>, period: Int, of bundleID: String = "com.example.app") async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids { group.addTask { try await self.renew(id, period: period, of: bundleID) } }
            try await group.waitForAll()
        }
    }

    func renew(_ ids: Range<Int>, periods: ClosedRange<Int>) async throws {
        for period in periods { try await self.renew(ids, period: period) }
    }

    /// - Parameter signedPayload: the notification that it came with.
    func renew(
        _ id: Int, period: Int, of bundleID: String = "com.example.app", signedPayload: String? = nil
    ) async throws {
        let number = id * 1_000 + period
        let digest = PayloadDigest((0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
        let bundleID = BundleID(rawValue: bundleID)
        let start = PublishingNode.start + .days(Int64(30 * period))
        var info = TransactionInfo(
            originalTransactionID: OriginalTransactionID(rawValue: "\(2_000_000_000 + id)"),
            transactionID: TransactionID(rawValue: "\(3_000_000_000 + number)"), bundleID: bundleID,
            environment: .production, signedDate: start, digest: digest)
        info.productID = "pro.monthly"
        info.productType = "Auto-Renewable Subscription"
        info.purchaseDate = start
        info.originalPurchaseDate = PublishingNode.start
        info.expiresDate = start + .days(30)
        info.inAppOwnershipType = "PURCHASED"
        let bundle = FactBundle(
            facts: Facts(transactions: [info]), source: .client, dedupKey: digest.bytes, contentDigest: digest,
            signedDate: start)
        let key = StreamKey(
            kind: .subscription, id: info.originalTransactionID.rawValue, environment: .production, bundleID: bundleID)
        let evidence = try signedPayload.map {
            try EvidenceCodec().encode([EvidencePart(name: .signedPayload, jws: Array($0.utf8))])
        }
        _ = try await self.record(Submission(key: key, bundle: bundle, evidence: evidence))
    }
}

/// Waits, without a clock, until something has become true. The time limit of the test, which cancels it, is the only bound.
func eventually(_ condition: () async throws -> Bool) async rethrows {
    while !Task.isCancelled, try await !condition() {
        await Task.yield()
        try? await Task.sleep(for: .milliseconds(1))
    }
}
