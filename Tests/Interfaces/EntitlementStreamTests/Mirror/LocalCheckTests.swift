import Clustering
import Entitlements
import EventLog
import Mirroring
import Ownership
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing
import ZeroMQ

/// `local` checks of a node that owns half of the shards and mirrors the others.
@Suite(.timeLimit(.minutes(10))) struct LocalCheckTests {
    private static let map = ShardHash(shardCount: 16)!
    private static let appStore = StreamKey(
        kind: .subscription, id: LocalCheckTests.foreignID, environment: .production,
        bundleID: BundleID(rawValue: "com.example.app"))
    /// As `renew` counts, of a shard that the node does not own.
    private static let foreignNumber =
        (0..<1_000).first { LocalCheckTests.map.shard(of: "\(2_000_000_000 + $0)").rawValue >= 8 } ?? 0
    private static let foreignID = "\(2_000_000_000 + LocalCheckTests.foreignNumber)"
    private static var shard: ShardID { Self.map.shard(of: Self.foreignID) }
    /// Of a shard that the node owns.
    private static let ownNumber =
        (0..<1_000).first { LocalCheckTests.map.shard(of: "\(2_000_000_000 + $0)").rawValue < 8 } ?? 0

    private var node: PublishingNode
    private let mirror = EntitlementMirror(
        map: LocalCheckTests.map, staleness: .seconds(1_000), origin: .now - .seconds(10_000))
    private let waitingClock = SteppingClock()

    init() throws {
        self.node = try PublishingNode()
        self.node.runtime.shards = Set((0..<8).map(ShardID.init(rawValue:)))
        self.node.runtime.mirror = self.mirror
        self.node.runtime.waitingClock = self.waitingClock
    }

    /// The node, and one that owns the other shards of its store.
    private func withOwner() throws -> (node: PublishingNode, owner: PublishingNode) {
        var (node, owner) = (self.node, self.node)
        owner.runtime = RuntimeConfiguration()
        owner.runtime.shards = Set((8..<16).map(ShardID.init(rawValue:)))
        (node.runtime.node, owner.runtime.node) = (NodeID(rawValue: "a"), NodeID(rawValue: "b"))
        node.runtime.cluster = try Self.cluster(node.runtime.node)
        owner.runtime.cluster = try Self.cluster(owner.runtime.node)
        return (node, owner)
    }

    private static func cluster(_ node: NodeID) throws -> ClusterConfiguration {
        ClusterConfiguration(
            node: node, incarnation: Incarnation(rawValue: .random(in: .min ... .max)), bind: "tcp://127.0.0.1:*",
            keys: try CurveKeyPair())
    }

    private func position(_ sequence: Int64, tag: UInt32 = 7) -> Position {
        Position(shard: Self.shard, sequence: LogSequence(rawValue: sequence), incarnationTag: tag)
    }

    private func token(_ position: Position) -> String {
        PositionToken(store: StoreStamp(self.node.store.identity), positions: [position]).text
    }

    /// When what the mirror hears of ends.
    private static let end = PublishingNode.start + .days(30)

    /// The mirror hears of a subscription, and is as current as that.
    private func mirror(upTo sequence: Int64, asOf moment: ContinuousClock.Instant = .now) throws {
        func phase(from start: Moment, _ state: LifecycleState) -> EntitlementRow.Phase {
            let isOn = state == .subscribed
            return EntitlementRow.Phase(
                from: start, state: state, entitled: isOn, code: CohortCode(state: isOn ? 5 : -5, offer: 0),
                productID: "pro.monthly")
        }
        let row = EntitlementRow(
            version: sequence,
            phases: [phase(from: PublishingNode.start, .subscribed), phase(from: Self.end, .expired)])
        try self.mirror.apply(key: Self.appStore.bytes, row, in: Self.shard)
        self.mirror.setPosition(self.position(sequence))
        self.mirror.setCurrent(Self.shard, asOf: moment)
    }

    private func ask(
        _ service: SubscriptionService, atLeast token: String? = nil
    ) async throws(ServiceError) -> (verdict: CheckVerdict?, stale: Bool, token: String) {
        let request = CheckRequest(stream: StreamReference(id: Self.foreignID))
        let response = try await service.check([request], consistency: .local, atLeast: token)
        guard case .verdict(let verdict) = response.results[0] else { return (nil, response.stale, response.token) }
        return (verdict, response.stale, response.token)
    }

    @Test func whatIsNotMirroredYetIsNotAnsweredFromTheMirror() async throws {
        try await self.node.run { running in
            // given: a row, of a shard that was never current
            self.mirror.setPosition(self.position(1))
            // when, then: nobody else can be asked here
            let error = await #expect(throws: ServiceError.self) { try await self.ask(running.service) }
            #expect(error?.retryable == true)
        }
    }

    @Test func anAnswerSaysHowFarItGoesAndWhetherItIsOld() async throws {
        try await self.node.run { running in
            // given
            try self.mirror(upTo: 3, asOf: .now - .seconds(5_000))
            // when, then
            let old = try await self.ask(running.service)
            #expect(old.verdict?.version.rawValue == 3 && old.stale)
            #expect(old.token == self.token(self.position(3)))
            // when: the owner has been heard of
            try self.mirror(upTo: 3)
            // then
            #expect(try await !self.ask(running.service).stale)
        }
    }

    @Test func nobodyIsEntitledBeyondTheEndThoughNothingIsHeard() async throws {
        try await self.node.run { running in
            // given: an owner who has not been heard of since long before the end
            try self.mirror(upTo: 3, asOf: .now - .seconds(5_000))
            self.node.clock.advance(to: Self.end - Milliseconds(rawValue: 1))
            let before = try await self.ask(running.service)
            #expect(before.verdict?.entitled == true && before.stale)
            #expect(before.verdict?.validUntil == Self.end)
            // when: the end comes, and no word of it
            self.node.clock.advance(to: Self.end)
            // then
            let after = try await self.ask(running.service)
            #expect(after.verdict?.entitled == false && after.stale)
            #expect(after.verdict?.state == .expired)
            #expect(after.verdict?.version.rawValue == 3)
        }
    }

    @Test func `a consumable that is mirrored gives no access`() async throws {
        try await self.node.run { running in
            // given
            let phase = EntitlementRow.Phase(
                from: PublishingNode.start, state: .owned, entitled: false, code: .nothing, productID: "coins.100")
            let key = StreamKey(
                kind: .purchase, id: Self.foreignID, environment: .production,
                bundleID: BundleID(rawValue: "com.example.app"))
            try self.mirror.apply(key: key.bytes, EntitlementRow(version: 1, phases: [phase]), in: Self.shard)
            self.mirror.setPosition(self.position(1))
            self.mirror.setCurrent(Self.shard, asOf: .now)
            // when
            let request = CheckRequest(stream: StreamReference(kind: .purchase, id: Self.foreignID))
            let response = try await running.service.check([request], consistency: .local, atLeast: nil)
            // then
            guard case .verdict(let verdict) = response.results[0] else {
                Issue.record("the check was refused")
                return
            }
            #expect(!verdict.entitled && verdict.validUntil == nil)
            #expect(verdict.state == .owned && verdict.code == .nothing)
            #expect(verdict.reason == .consumable)
        }
    }

    // MARK: Shards of the node itself

    @Test(
        "what the node has not loaded of its own shards comes from its mirror, as soon as that has heard of the newest commits",
        arguments: [true, false])
    func waitsForItsOwnCommits(_ hears: Bool) async throws {
        let key = StreamKey(
            kind: .subscription, id: "\(2_000_000_000 + Self.ownNumber)", environment: .production,
            bundleID: BundleID(rawValue: "com.example.app"))
        let shard = Self.map.shard(of: key.id)
        @Sendable func mirror(_ version: Int64) throws {
            let phase = EntitlementRow.Phase(
                from: PublishingNode.start, state: .subscribed, entitled: true, code: CohortCode(state: 5, offer: 0),
                productID: "of.the.mirror")
            try self.mirror.apply(key: key.bytes, EntitlementRow(version: version, phases: [phase]), in: shard)
        }
        try await self.node.run { running in
            // given: a mirror that has heard of the first commit, and hears of the second while it is waited for, or does not
            try await running.service.renew(Self.ownNumber, period: 1)
            try mirror(1)
            self.mirror.setPosition(try await self.node.store.heads()[Int(shard.rawValue)])
            self.mirror.setCurrent(shard, asOf: .now)
            try await running.service.renew(Self.ownNumber, period: 2)
            let head = try await self.node.store.heads()[Int(shard.rawValue)]
            self.waitingClock.onPause { count in
                guard hears, count == 3 else { return }
                #expect(throws: Never.self) { try mirror(2) }
                self.mirror.setPosition(head)
            }
            // when
            let request = CheckRequest(stream: StreamReference(id: key.id))
            let answer = try await running.service.check([request], consistency: .local, atLeast: nil)
            // then
            guard case .verdict(let verdict) = answer.results[0] else {
                Issue.record("a check was refused")
                return
            }
            #expect(verdict.productID == "of.the.mirror")
            #expect(verdict.version.rawValue == (hears ? 2 : 1))
            #expect(self.waitingClock.passed == .milliseconds(hears ? 6 : 150))
            // and its token is no newer than what it rests on
            let token = hears ? head : self.mirror.position(of: shard)
            #expect(answer.token == self.token(token))
        }
    }

    // MARK: Tokens

    @Test func anAnswerWaitsForTheMirrorToReachItsToken() async throws {
        try await self.node.run { running in
            // given: a mirror that is behind the token, and comes so far while it is waited for
            try self.mirror(upTo: 3)
            let token = self.token(self.position(5))
            self.waitingClock.onPause { count in
                if count == 3 { #expect(throws: Never.self) { try self.mirror(upTo: 5) } }
            }
            // when
            let answer = try await self.ask(running.service, atLeast: token)
            // then: nobody else was asked, who would have said that the store holds no such place
            #expect(answer.verdict?.version.rawValue == 5)
            #expect(answer.token == token)
            #expect(self.waitingClock.passed == .milliseconds(6))
            // and once it is there, nothing is waited for
            #expect(try await self.ask(running.service, atLeast: token).verdict?.version.rawValue == 5)
            #expect(self.waitingClock.passed == .milliseconds(6))
        }
    }

    @Test func theOwnerIsAskedWhereTheMirrorStaysBehindAToken() async throws {
        let (node, owner) = try self.withOwner()
        try await owner.run { owning in
            // given: a subscription of which the mirror has the first version alone
            for period in 1...2 { try await owning.service.renew(Self.foreignNumber, period: period) }
            try self.mirror(upTo: 1)
            let token = try await self.ask(owning.service).token
            try await node.run { running in
                // when
                let answer = try await self.ask(running.service, atLeast: token)
                // then: after all the time that the mirror is given, and not before
                #expect(answer.verdict?.version.rawValue == 2)
                #expect(self.waitingClock.passed == .milliseconds(150))
                // and without a token the mirror still answers by itself
                #expect(try await self.ask(running.service).verdict?.version.rawValue == 1)
            }
        }
    }

    @Test func aTokenThatNoLogHoldsIsRefused() async throws {
        try await self.node.run { running in
            // given
            try self.mirror(upTo: 5)
            // when, then: beyond the end, and of another run's log, of which the mirror cannot say whether it goes on here
            for token in [self.token(self.position(6)), self.token(self.position(4, tag: 8))] {
                let error = await #expect(throws: ServiceError.self) {
                    try await self.ask(running.service, atLeast: token)
                }
                #expect(error?.code == .storeRewound)
            }
        }
    }
    @Test func `a place that no log holds keeps those from no answer who do not ask about its shard`() async throws {
        try await self.node.run { running in
            // given: a token that names a shard of the node, and more of another one than there is
            try await running.service.renew(Self.ownNumber, period: 1)
            try self.mirror(upTo: 5)
            let ownID = "\(2_000_000_000 + Self.ownNumber)"
            let head = try await self.node.store.heads()[Int(Self.map.shard(of: ownID).rawValue)]
            let token = PositionToken(
                store: StoreStamp(self.node.store.identity), positions: [head, self.position(6)]
            ).text
            // when
            let requests = [ownID, Self.foreignID].map { CheckRequest(stream: StreamReference(id: $0)) }
            let answer = try await running.service.check([requests[0]], consistency: .local, atLeast: token)
            // then
            guard case .verdict(let verdict) = answer.results[0] else {
                Issue.record("the check of the other shard was refused")
                return
            }
            #expect(verdict.version.rawValue == 1)
            #expect(answer.token == self.token(head))
            // and
            let refusal = await #expect(throws: ServiceError.self) {
                try await running.service.check(requests, consistency: .local, atLeast: token)
            }
            #expect(refusal?.code == .storeRewound)
        }
    }
}
