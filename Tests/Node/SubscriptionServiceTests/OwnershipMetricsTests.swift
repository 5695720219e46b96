import CoreMetrics
import EventLog
import InMemoryStore
import MetricsTestKit
import Ownership
import PerennialTestSupport
import SubscriptionService
import Subscriptions
import Testing

/// What operators see of shards that change hands.
@Suite(.timeLimit(.minutes(10))) struct OwnershipMetricsTests {
    private static let shardCount = 16
    private let store = InMemoryEventStore(shardCount: Self.shardCount)
    private let apple: TestAppStore

    init() throws { self.apple = try TestAppStore() }

    private func node(_ name: String) throws -> Node { try Node(named: name, store: self.store, apple: self.apple) }

    private static func gauge(_ label: String, of metrics: TestMetrics) -> Double? {
        try? metrics.expectGauge("perennial_\(label)").lastValue
    }

    private static func total(_ label: String, of metrics: TestMetrics) -> Int64 {
        metrics.counterTotal(label: "perennial_\(label)")
    }

    @Test("shards that are taken, given and moved are counted, with their epochs and how long it took")
    func countsHandOffs() async throws {
        let (ofOne, ofTwo) = (TestMetrics(), TestMetrics())
        let (first, second) = (try self.node("a"), try self.node("b"))
        try await withMetricsFactory(ofOne) {
            try await first.run { one in
                // given: a node that has taken all of them
                await eventually {
                    Self.gauge("shards_owned", of: ofOne) == Double(Self.shardCount)
                        && Self.total("shards_taken_total", of: ofOne) == Int64(Self.shardCount)
                        && Self.gauge("shard_epoch_highest", of: ofOne) == 1
                }
                #expect(Self.total("shard_epochs_total", of: ofOne) == Int64(Self.shardCount))
                #expect(Self.gauge("lease_seconds_left", of: ofOne).map { $0 > 0 } != false)
                try await withMetricsFactory(ofTwo) {
                    try await second.run { two in
                        // when: another comes, and is given its share
                        await eventually { Self.gauge("shards_owned", of: ofTwo) ?? 0 >= 7 }
                        await eventually {
                            let shards = self.store.view().shards
                            let others = shards.filter { $0.owner?.node.rawValue == "b" }.count
                            return Self.gauge("shards_owned", of: ofTwo) == Double(others)
                                && Self.gauge("shards_owned", of: ofOne) == Double(Self.shardCount - others)
                        }
                        // then: what the giver counts last is there a moment later
                        let given = Int64(try #require(Self.gauge("shards_owned", of: ofTwo)))
                        await eventually {
                            Self.total("shards_given_total", of: ofOne) == given
                                && (try? ofOne.expectTimer("perennial_handoff_seconds").values.count) == Int(given)
                        }
                        #expect(Self.total("shard_epochs_total", of: ofTwo) == given)
                        let epochs = self.store.view().shards.filter { $0.owner?.node.rawValue == "b" }.map(
                            \.epoch.rawValue)
                        #expect(Self.gauge("shard_epoch_highest", of: ofTwo) == epochs.max().map(Double.init))
                        #expect(Self.total("shards_taken_total", of: ofTwo) == 0)
                    }
                }
                // when: it has left, then
                await eventually {
                    Self.gauge("shards_owned", of: ofOne) == Double(Self.shardCount)
                        && Self.gauge("shard_epoch_highest", of: ofOne).map { $0 >= 3 } == true
                }
            }
        }
    }

    @Test("a commit of unknown outcome, and one that the fence refuses, are counted")
    func countsWhatTheFenceDoes() async throws {
        let metrics = TestMetrics()
        let inner = InMemoryEventStore(shardCount: Self.shardCount)
        let node = try Node(store: ScriptedStore(inner, [ScriptedStore.happensUnheard]))
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payloads = try [life.subscribe(), life.turnAutoRenew(false)].map(node.apple.sign)
        try await withMetricsFactory(metrics) {
            try await node.run { service in
                let before = Self.total("shard_epochs_total", of: metrics)
                // when
                _ = try await service.ingest(signedPayload: payloads[0])
                // then: the shard was taken again
                #expect(Self.total("unknown_commits_total", of: metrics) == 1)
                #expect(Self.total("shard_epochs_total", of: metrics) > before)
                #expect(Self.total("fenced_total", of: metrics) == 0)
                // when: another has the shards
                let other = ShardRecord.Owner(node: NodeID(rawValue: "other"), incarnation: Incarnation(rawValue: 7))
                _ = inner.claim(ShardClaim(inner.identity.shards, for: other))
                _ = try? await service.ingest(signedPayload: payloads[1])
                // then
                #expect(Self.total("fenced_total", of: metrics) == 1)
            }
        }
    }
}
