import Entitlements
import EventLog
import Mirroring
import Ownership
import PerennialClient
import Subscriptions
import Testing
import WireProtocol

/// What comes between the thread that follows and whoever reads changes, without a network.
@Suite(.timeLimit(.minutes(10))) struct ChangeBufferTests {
    /// Two shards of one node, followed from where their logs end.
    private final class World {
        private static let source = SourceID(rawValue: 1)
        let buffer = ChangeBuffer()
        private var origin = StreamOrigin(storeID: 7, restoreGeneration: 1)
        private var now = ContinuousClock.now
        private var follower: StreamFollower

        init() {
            self.follower = StreamFollower(self.origin, shardCount: 2, from: .now, sink: self.buffer, onGap: {})
            self.buffer.begin(self.origin, shardCount: 2, after: nil)
        }

        /// Where the logs end.
        func beat(_ first: StreamPosition, _ second: StreamPosition) {
            let heads = [first, second].enumerated().map { number, position in
                ServedHead(
                    shard: ShardID(rawValue: UInt16(number)), epoch: Epoch(rawValue: 1), position: position, rules: 0)
            }
            self.follower.hear(
                StreamBeat(origin: self.origin, node: "node", servicePort: 1, shardCount: 2, heads: heads),
                from: Self.source, at: self.now)
        }

        func restore() { self.origin.restoreGeneration += 1 }

        func delta(_ image: SubscriptionImage, after previous: StreamPosition) -> StreamDelta {
            StreamDelta(
                origin: self.origin, epoch: Epoch(rawValue: 1), previous: previous,
                position: ChangeBufferTests.place(previous.sequence.rawValue + 1), image: image)
        }

        func hear(_ image: SubscriptionImage, of shard: ShardID, after previous: StreamPosition) throws(MirrorError) {
            try self.follower.hear(self.delta(image, after: previous), of: shard, from: Self.source, at: self.now)
        }

        /// What is asked for after a while.
        func questions() -> [StreamRequest] {
            self.now += .seconds(6)
            return self.follower.ask(at: self.now).map { $0.request }
        }

        func answer(_ question: StreamRequest, with deltas: [StreamDelta], head: StreamPosition) throws(MirrorError) {
            let head = ServedHead(
                shard: ChangeBufferTests.first, epoch: Epoch(rawValue: 1), position: head, rules: 0)
            let page = ChangesPage(origin: self.origin, head: head, deltas: deltas)
            try self.follower.take(StreamAnswer(id: question.id, .changes(page)), at: self.now)
        }

        /// The store and the places that the reader would save now.
        func saved() throws -> PositionToken {
            let position = try #require(self.buffer.position)
            return try #require(PositionToken(text: position.rawValue))
        }
    }

    private static let first = ShardID(rawValue: 0)
    private static let second = ShardID(rawValue: 1)

    private static func place(_ sequence: Int64, tag: UInt32 = 1) -> StreamPosition {
        StreamPosition(sequence: LogSequence(rawValue: sequence), tag: tag)
    }

    private static func image(_ version: Int64, kind: StreamKind = .subscription) -> SubscriptionImage {
        let key = StreamKey(
            kind: kind, id: "1", environment: .production, bundleID: BundleID(rawValue: "com.example.app"))
        let row = EntitlementRow(version: version, phases: [])
        return SubscriptionImage(
            key: key.bytes, version: StreamVersion(rawValue: version),
            entitlement: row.encoded(under: RulesFingerprint(DerivationRules())))
    }

    /// Of a format that is yet to come.
    private static func unreadable(_ version: Int64) -> SubscriptionImage {
        var image = Self.image(version)
        image.entitlement[0] = 200
        return image
    }

    /// - Returns: the version that is told of next; nil for a rewind.
    private func next(_ world: World) async throws -> Int64? {
        let event = await world.buffer.next()
        switch try #require(event) {
        case .change(let change): return change.entitlement.version
        case .customers, .rewound: return nil
        }
    }

    @Test func afterARestorePositionsAreOfTheRestoredStore() async throws {
        // given: a reader of the store as it was
        let world = World()
        world.beat(Self.place(8), Self.place(2))
        #expect(try world.saved().store == StoreStamp(storeID: 7, restoreGeneration: 1))
        // when: a backup is restored, and he is told so
        world.restore()
        world.beat(Self.place(5), Self.place(2))
        for _ in 0..<2 { #expect(try await self.next(world) == nil) }
        try world.hear(Self.image(3), of: Self.first, after: Self.place(5))
        #expect(try await self.next(world) == 3)
        // then: what he saves is known there after his restart
        let saved = try world.saved()
        #expect(saved.store == StoreStamp(storeID: 7, restoreGeneration: 2))
        #expect(saved.positions == [Self.place(6).position(in: Self.first), Self.place(2).position(in: Self.second)])
    }

    @Test func whatCannotBeReadIsNotPassedOver() async throws {
        // given
        let world = World()
        world.beat(Self.place(5), Self.place(2))
        // when: something comes that only a newer client can read
        #expect(throws: MirrorError.self) {
            try world.hear(Self.unreadable(4), of: Self.first, after: Self.place(5))
        }
        // then: other shards go on, and this one stays where it was
        try world.hear(Self.image(2), of: Self.second, after: Self.place(2))
        #expect(try await self.next(world) == 2)
        #expect(
            try world.saved().positions
                == [Self.place(5).position(in: Self.first), Self.place(3).position(in: Self.second)])
        // and it is asked for again, with what came after it
        world.beat(Self.place(7), Self.place(3))
        let question = try #require(world.questions().first)
        #expect(question.content == .changes(Self.first, after: Self.place(5), limit: 0))
        #expect(throws: MirrorError.self) {
            try world.answer(
                question, with: [world.delta(Self.unreadable(4), after: Self.place(5))], head: Self.place(7))
        }
        let again = try #require(world.questions().first)
        #expect(again.content == question.content)
        // and told when it can be read, in its order
        let deltas = [4, 5].map { world.delta(Self.image($0), after: Self.place($0 + 1)) }
        try world.answer(again, with: deltas, head: Self.place(7))
        for version in [4, 5] as [Int64] { #expect(try await self.next(world) == version) }
        #expect(try world.saved().positions.first == Self.place(7).position(in: Self.first))
    }

    @Test func whatIsNoSubscriptionIsPassedOver() async throws {
        // given
        let world = World()
        world.beat(Self.place(5), Self.place(2))
        // when
        var image = Self.image(1, kind: .test)
        image.entitlement = []
        try world.hear(image, of: Self.first, after: Self.place(5))
        try world.hear(Self.image(2), of: Self.first, after: Self.place(6))
        // then
        #expect(try await self.next(world) == 2)
        #expect(try world.saved().positions.first == Self.place(7).position(in: Self.first))
    }
}
