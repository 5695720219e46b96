import EntitlementStream
import Entitlements
import EventLog
import Logging
import Metrics
import Mirroring
import Ownership
import PerennialTestSupport
import PrometheusMetrics
import Shards
import SubscriptionService
import Subscriptions
import Testing
import WireProtocol
import ZeroMQ

/// A mirror that follows a node over real sockets.
@Suite(.timeLimit(.minutes(10))) struct FollowingTests {
    private let node: PublishingNode

    init() throws { self.node = try PublishingNode() }

    /// Runs a follower for as long as `body` takes.
    private func follow(
        _ running: PublishingNode.Running, keys: CurveKeyPair? = nil,
        _ body: @escaping @Sendable (EntitlementMirror) async throws -> Void
    ) async throws {
        let mirror = EntitlementMirror(map: ShardHash(shardCount: 16)!)
        let source = StreamSource(endpoint: running.endpoints.stream, serverKey: self.node.stream.keys.publicKey)
        let follower = try Follower(
            [source], keys: keys ?? self.node.subscriber,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { _, shardCount in shardCount == 16 ? mirror : nil }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await follower.run() }
            defer { group.cancelAll() }
            try await body(mirror)
        }
    }

    /// Whether a mirror says of all that the store holds what the store's rows say, now and later, and has come as far.
    private func isRight(_ mirror: EntitlementMirror) async throws -> Bool {
        for (shard, head) in try await self.node.heads() {
            guard StreamPosition(mirror.position(of: shard)) == head else { return false }
            for row in try await self.node.store.streams(in: shard, after: nil, limit: 1_000) {
                let key = try #require(StreamKey(bytes: row.key))
                let stored = try EntitlementRow(decoding: row.entitlement)
                let question = MirrorQuestion(MirrorID(key.id), in: mirror.scope(.production, key.bundleID))
                for day in stride(from: Int64(0), through: 400, by: 40) {
                    let moment = PublishingNode.start + .days(day)
                    let answer = mirror.check(question, at: mirror.time(moment, .now))
                    guard answer.version == row.version, mirror.checkAnswer(of: answer) == stored.answer(at: moment)
                    else { return false }
                }
            }
        }
        return true
    }

    @Test func aMirrorEndsWithTheOwnersAnswersThoughAThirdIsLost() async throws {
        try await self.node.run { running in
            // given: there is something before anybody follows
            try await running.service.renew(0..<60, period: 1)
            try await self.follow(running) { mirror in
                // when: a third of what is published gets lost
                running.tap.loseOne(of: 3)
                for period in 2...6 { try await running.service.renew(0..<90, period: period) }
                // then
                await eventually { (try? await self.isRight(mirror)) == true }
                #expect(mirror.count == 90)
            }
        }
    }

    @Test func whatIsMissedIsCounted() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await self.node.run { running in
                try await running.service.renew(0..<20, period: 1)
                try await self.follow(running) { mirror in
                    await eventually { (try? await self.isRight(mirror)) == true }
                    let before = try #require(registry.value(of: "perennial_stream_gap_total"))
                    // when: all that is published gets lost
                    running.tap.close()
                    try await running.service.renew(0..<20, period: 2)
                    await eventually { (try? await self.isRight(mirror)) == true }
                    // then: it was asked for, which shows
                    #expect(registry.value(of: "perennial_stream_gap_total") ?? 0 > before)
                }
            }
        }
    }

    @Test func whoJoinsLateHasAllOfIt() async throws {
        try await self.node.run { running in
            // given
            for period in 1...3 { try await running.service.renew(0..<200, period: period) }
            // when, then
            try await self.follow(running) { mirror in
                await eventually { (try? await self.isRight(mirror)) == true }
                #expect(mirror.count == 200)
            }
        }
    }

    @Test func whatWasCopiedIsAnsweredByTheOwnersPresentRules() async throws {
        let mirror = EntitlementMirror(map: ShardHash(shardCount: 16)!)
        let follower = try Follower(
            keys: self.node.subscriber, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { _, _ in mirror }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await follower.run() }
            defer { group.cancelAll() }
            for hours in [2, 48, 1] as [Int64] {
                var node = self.node
                node.runtime.rules = DerivationRules(renewalLeeway: [.production: .hours(hours)])
                // when: the node starts with another leeway
                try await node.run { running in
                    follower.follow([
                        StreamSource(endpoint: running.endpoints.stream, serverKey: self.node.stream.keys.publicKey)
                    ])
                    if hours == 2 { try await running.service.renew(0..<60, period: 0) }
                    // then: although nothing happens to any subscription
                    await eventually { self.ends(in: mirror) == [PublishingNode.start + .days(30) + .hours(hours)] }
                    #expect(mirror.count == 60)
                }
            }
        }
    }

    /// When access ends, by the answers for sixty subscriptions.
    private func ends(in mirror: EntitlementMirror) -> Set<Moment?> {
        Set(
            (0..<60).map { id in
                let question = MirrorQuestion(
                    MirrorID("\(2_000_000_000 + id)"),
                    in: mirror.scope(.production, BundleID(rawValue: "com.example.app")))
                return mirror.checkAnswer(of: mirror.check(question, at: mirror.time(PublishingNode.start, .now)))
                    .validUntil
            })
    }

    @Test func answersAreFreshOnlyWhileTheOwnerSaysSo() async throws {
        try await self.node.run { running in
            try await running.service.renew(0..<20, period: 1)
            try await self.follow(running) { mirror in
                // given: a shard is there once its owner has answered a probe
                let question = MirrorQuestion(MirrorID("2000000001"), in: mirror.scope(.production))
                let shards = (0..<16).map { ShardID(rawValue: $0) }
                let early = mirror.check(question, at: mirror.time(PublishingNode.start, .now))
                #expect(early.isStale || shards.contains(where: mirror.hasAll))
                await eventually { shards.allSatisfy(mirror.hasAll) }
                // when, then: it stays so
                let question2 = MirrorQuestion(MirrorID("2000000001"), in: mirror.scope(.production))
                let first = mirror.age(at: .now)
                await eventually {
                    let answer = mirror.check(question2, at: mirror.time(PublishingNode.start, .now))
                    return answer.outcome == .found && !answer.isStale
                }
                await eventually { mirror.age(at: .now) < max(first, .seconds(1)) }
                // and without a word from the owner it is not
                let later = mirror.check(question2, at: mirror.time(PublishingNode.start, .now + .seconds(600)))
                #expect(later.isStale)
                #expect(later.outcome == .found)
            }
        }
    }

    @Test func whoIsNotListedFollowsNothing() async throws {
        try await self.node.run { running in
            try await running.service.renew(0..<20, period: 1)
            try await self.follow(running, keys: try CurveKeyPair()) { stranger in
                try await self.follow(running) { mirror in
                    await eventually { (try? await self.isRight(mirror)) == true }
                    #expect(stranger.count == 0)
                }
            }
        }
    }

    @Test func aPeerIsLetInOnceItIsKnown() async throws {
        try await self.node.run { running in
            // given
            try await running.service.renew(0..<20, period: 1)
            let keys = try CurveKeyPair()
            try await self.follow(running, keys: keys) { mirror in
                // when
                running.publisher.admit([keys.publicKey])
                // then: although it was refused before, perhaps
                await eventually { (try? await self.isRight(mirror)) == true }
            }
        }
    }
}
