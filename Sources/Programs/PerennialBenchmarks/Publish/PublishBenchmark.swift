import AppStore
import EntitlementStream
import Entitlements
import EventLog
import Foundation
import InMemoryStore
import Logging
import Queries
import Shards
import SubscriptionService
import Subscriptions
import WireProtocol
import ZeroMQ

/// Deltas to one subscriber, against messages of the same size through a bare PUB with the same encryption.
struct PublishBenchmark: Benchmark {
    static let name = "publish"
    static let abstract = "deltas published to one subscriber, of messages that bare ZeroMQ publishes"

    private static let rounds = 9
    private static let roundLength = Duration.milliseconds(500)
    /// So many are on their way: half of what a subscriber's queue holds has to be read before libzmq notices.
    private static let window = 8_192
    /// Deltas of one commit.
    private static let burst = 16

    func run(in workspace: Workspace) async throws -> [Figure] {
        let (keys, subscriber) = (try CurveKeyPair(), try CurveKeyPair())
        let publisher = try Publisher(
            StreamConfiguration(
                bind: "tcp://127.0.0.1:*", keys: keys, subscribers: [subscriber.publicKey: "benchmark"]))
        let service = try Self.service()
        let deltas = Self.deltas(of: service.servedLog.origin)
        let message = deltas[0].published(in: Self.shard)
        let bare = try BarePublisher()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run(serving: service.servedLog) }
            defer { group.cancelAll() }
            guard let endpoints = await publisher.endpoints() else { throw BenchmarkError("nobody publishes") }
            let ours = try CountingSubscriber(
                endpoint: endpoints.stream, serverKey: keys.publicKey, keys: subscriber)
            let theirs = try CountingSubscriber(
                endpoint: bare.endpoint, serverKey: bare.keys.publicKey, keys: subscriber)
            let publish = { @Sendable in publisher.hear(deltas, of: Self.shard) }
            let send = { @Sendable in for _ in 0..<Self.burst { bare.send(message) } }
            try await Self.join(ours, publish)
            try await Self.join(theirs, send)
            var rates: [(subject: Double, baseline: Double)] = []
            for _ in 0..<Self.rounds {
                rates.append((try await Self.rate(ours, publish), try await Self.rate(theirs, send)))
            }
            return [
                Figure(
                    "deltas of \(message.count) B published to one subscriber (baseline: bare libzmq)",
                    rates.map(\.subject).median(), "1/s", baseline: rates.map(\.baseline).median(),
                    ratio: rates.map { $0.subject / $0.baseline }.median(), goal: .ratioAtLeast(0.6))
            ]
        }
    }

    /// Until he hears something, and has heard all of it.
    private static func join(_ subscriber: CountingSubscriber, _ send: @Sendable () -> Void) async throws {
        try await Patience.until("a subscriber hears something") {
            send()
            return subscriber.count > 0
        }
        Self.rest(subscriber)
    }

    /// Until nothing more comes.
    private static func rest(_ subscriber: CountingSubscriber) {
        var last = -1
        while subscriber.count != last {
            last = subscriber.count
            usleep(100_000)
        }
    }

    /// - Returns: messages that arrived in a second, of which none was lost.
    private static func rate(
        _ subscriber: CountingSubscriber, _ send: @escaping @Sendable () -> Void
    ) async throws -> Double {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let (first, start) = (subscriber.count, ContinuousClock.now)
                var sent = 0
                while .now - start < Self.roundLength {
                    guard sent - (subscriber.count - first) < Self.window else {
                        usleep(200)
                        continue
                    }
                    for _ in 0..<8 { send() }
                    sent += 8 * Self.burst
                }
                let rate = Double(subscriber.count - first) / (.now - start).seconds
                Self.rest(subscriber)
                let lost = sent - (subscriber.count - first)
                continuation.resume(
                    with: lost <= 0 ? .success(rate) : .failure(BenchmarkError("\(lost) of \(sent) messages were lost"))
                )
            }
        }
    }

    private static let shard = ShardID(rawValue: 3)

    /// Of one commit, with entitlements as a subscription has them.
    private static func deltas(of origin: StreamOrigin) -> [StreamDelta] {
        let key = StreamKey(
            kind: .subscription, id: "2000000123456789", environment: .production,
            bundleID: BundleID(rawValue: "com.example.app"))
        let start = Moment(milliseconds: 1_790_000_000_000)
        let code = CohortCode(state: 5, offer: 0)
        let row = EntitlementRow(
            version: 7,
            phases: [
                .init(
                    from: start, state: .subscribed, entitled: true, code: code, productID: "com.example.pro.monthly"),
                .init(
                    from: start + .days(30), state: .subscribed, entitled: true, code: code,
                    productID: "com.example.pro.monthly"),
                .init(
                    from: start + .days(31), state: .expired, entitled: false, code: CohortCode(state: -2, offer: 0),
                    productID: "com.example.pro.monthly"),
            ])
        let entitlement = row.encoded(under: RulesFingerprint(DerivationRules()))
        return (1...Self.burst).map { number in
            StreamDelta(
                origin: origin, epoch: Epoch(rawValue: 9),
                previous: StreamPosition(sequence: LogSequence(rawValue: Int64(1_000_000 + number)), tag: 77),
                position: StreamPosition(sequence: LogSequence(rawValue: Int64(1_000_001 + number)), tag: 77),
                image: SubscriptionImage(
                    key: key.bytes, version: StreamVersion(rawValue: 7), entitlement: entitlement))
        }
    }

    /// It never runs: the publisher needs its log for beats alone.
    private static func service() throws -> SubscriptionService {
        let apps = try AppDirectory([])
        let verifier = PayloadVerifier(apps: apps)
        return try SubscriptionService(
            store: InMemoryEventStore(), configuration: RuntimeConfiguration(), clock: SystemClock(),
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier, apps: apps), verification: VerificationPool(),
            catalog: Catalog([]), logger: Logger(label: "publish"))
    }
}
