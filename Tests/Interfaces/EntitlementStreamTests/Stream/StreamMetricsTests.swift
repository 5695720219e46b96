import EntitlementStream
import EventLog
import Metrics
import Mirroring
import Ownership
import PerennialTestSupport
import PrometheusMetrics
import Shards
import SubscriptionService
import Testing
import WireProtocol

/// What the metrics say of the stream and of a node's mirror.
@Suite(.timeLimit(.minutes(10))) struct StreamMetricsTests {
    private let node: PublishingNode

    init() throws { self.node = try PublishingNode() }

    private static let age = "perennial_mirror_staleness_seconds"

    /// One that was made long before anything was heard.
    private func oldMirror() -> EntitlementMirror {
        EntitlementMirror(map: ShardHash(shardCount: 16)!, origin: .now - .seconds(1_000_000))
    }

    @Test func whatTheStreamCannotSendIsCounted() throws {
        // given: room for ten, and nobody who sends them
        let registry = PrometheusRegistry()
        var stream = self.node.stream
        stream.waitingDeltas = 10
        let publisher = try withMetricsFactory(registry) { try Publisher(stream) }
        let delta = StreamDelta(
            origin: StreamOrigin(storeID: 1, restoreGeneration: 0), epoch: Epoch(rawValue: 1), previous: nil,
            position: StreamPosition(sequence: LogSequence(rawValue: 1), tag: 1),
            image: SubscriptionImage(key: [1], version: .zero, entitlement: []))
        // when
        for _ in 0..<4 { publisher.hear([delta, delta, delta, delta], of: ShardID(rawValue: 3)) }
        // then: the last two commits do not fit
        #expect(registry.value(of: "perennial_stream_dropped_total") == 8)
    }

    @Test func aMirrorThatHearsOfAllIsYoung() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await self.node.run(keeping: self.oldMirror()) { _, _ in
                await eventually { registry.value(of: Self.age).map { 0 < $0 && $0 < 10_000 } ?? false }
            }
        }
    }

    @Test func aMirrorIsAsOldAsWhatItHearsLeastOf() async throws {
        // given: half of the shards has an owner, who is heard
        var node = self.node
        node.runtime.shards = Set((0..<8).map(ShardID.init(rawValue:)))
        let (registry, mirror) = (PrometheusRegistry(), self.oldMirror())
        try await withMetricsFactory(registry) {
            try await node.run(keeping: mirror) { _, _ in
                await eventually { (0..<8).allSatisfy { mirror.hasAll(of: ShardID(rawValue: $0)) } }
                // then: of the others nothing is, for longer and longer
                let age = registry.value(of: Self.age) ?? 0
                await eventually { registry.value(of: Self.age) ?? 0 > max(age, 1_000_000) }
            }
        }
    }
}
