import Entitlements
import EventSourcing
import Mirroring
import Sharding
import SubscriptionRuntime
import Subscriptions
import Testing

/// `local` checks of a node that owns half of the shards and mirrors the others.
@Suite(.timeLimit(.minutes(10))) struct LocalCheckTests {
    private static let map = ShardMap(shardCount: 16)!
    private static let appStore = StreamKey(
        kind: .subscription, id: LocalCheckTests.foreignID, environment: .production,
        bundleID: BundleID(rawValue: "com.example.app"))
    /// Of a shard that the node does not own.
    private static let foreignID =
        (0..<1_000).map { "\(2_000_000_000 + $0)" }
        .first { LocalCheckTests.map.shard(of: $0).rawValue >= 8 } ?? ""
    private static var shard: ShardID { Self.map.shard(of: Self.foreignID) }

    private var node: PublishingNode
    private let mirror = EntitlementMirror(
        map: LocalCheckTests.map, staleness: .seconds(1_000), origin: .now - .seconds(10_000))

    init() throws {
        self.node = try PublishingNode()
        self.node.runtime.shards = Set((0..<8).map(ShardID.init(rawValue:)))
        self.node.runtime.mirror = self.mirror
    }

    private func position(_ sequence: Int64, tag: UInt32 = 7) -> Position {
        Position(shard: Self.shard, sequence: Sequence(rawValue: sequence), incarnationTag: tag)
    }

    private func token(_ position: Position) -> String {
        PositionToken(store: StoreStamp(self.node.store.identity), positions: [position]).text
    }

    /// The mirror hears of a subscription, and is as current as that.
    private func mirror(upTo sequence: Int64, asOf moment: ContinuousClock.Instant = .now) throws {
        let row = EntitlementRow(
            version: sequence,
            phases: [
                EntitlementRow.Phase(
                    from: PublishingNode.start, state: .subscribed, entitled: true,
                    code: CohortCode(state: 5, offer: 0),
                    productID: "pro.monthly")
            ])
        try self.mirror.apply(key: Self.appStore.bytes, row, in: Self.shard)
        self.mirror.setPosition(self.position(sequence))
        self.mirror.setCurrent(Self.shard, asOf: moment)
    }

    private func ask(
        _ service: SubscriptionService, atLeast token: String? = nil
    ) async throws(ServiceError) -> (version: Int64, stale: Bool, token: String) {
        let request = CheckRequest(stream: StreamReference(id: Self.foreignID))
        let response = try await service.check([request], consistency: .local, atLeast: token)
        guard case .verdict(let verdict) = response.results[0] else { return (-1, response.stale, response.token) }
        return (verdict.version.rawValue, response.stale, response.token)
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
            #expect(old.version == 3 && old.stale)
            #expect(old.token == self.token(self.position(3)))
            // when: the owner has been heard of
            try self.mirror(upTo: 3)
            // then
            #expect(try await !self.ask(running.service).stale)
        }
    }

    @Test func anAnswerWaitsForItsToken() async throws {
        try await self.node.run { running in
            try self.mirror(upTo: 3)
            // when: the mirror comes as far as the token, sooner or later
            let token = self.token(self.position(5))
            let first = await #expect(throws: ServiceError.self) { try await self.ask(running.service, atLeast: token) }
            // then: before, nobody knows of such a place, since the store holds none
            #expect(first?.code == .storeRewound)
            try self.mirror(upTo: 5)
            #expect(try await self.ask(running.service, atLeast: token).version == 5)
            // and of another run's log the mirror cannot say whether it goes on here
            let other = self.token(self.position(4, tag: 8))
            let second = await #expect(throws: ServiceError.self) {
                try await self.ask(running.service, atLeast: other)
            }
            #expect(second?.code == .storeRewound)
        }
    }
}
