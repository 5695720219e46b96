import EventLog
import PerennialTestSupport
import PostgresStore
import Testing

/// The server has done what it was asked to, and the answer is lost on its way back.
@Suite(.onOwnThreads) struct LostAnswerTests {
    private let way: CuttableDatabase

    init() throws { self.way = try CuttableDatabase() }

    /// The nodes "a" and "b" live, and "a" owns the first shard.
    struct Scene {
        let store: PostgresEventStore
        let a: NodeRun
        let b: NodeRun
        let owned: ShardOwnership
        /// As it is before the call.
        let seen: ClusterView

        init(_ store: PostgresEventStore) throws {
            self.store = store
            self.a = try store.begin(Self.node("a", 1), lease: .seconds(5))
            self.b = try store.begin(Self.node("b", 2), lease: .seconds(5))
            self.owned = try #require(try store.take([try store.view().shards[0]], as: self.a).first)
            self.seen = try store.view()
        }

        static func node(_ id: String, _ incarnation: Int64) -> NodeRecord {
            NodeRecord(id: NodeID(rawValue: id), incarnation: Incarnation(rawValue: incarnation))
        }

        func claim() throws -> [ShardOwnership] {
            try self.store.claim(ShardClaim([self.owned.shard], for: self.a.owner, from: self.a.owner.incarnation))
        }

        func take() throws -> [ShardOwnership] { try self.store.take([self.seen.shards[1]], as: self.a) }

        func give() throws -> Bool {
            try self.store.give(self.owned.shard, under: self.owned.epoch, from: self.a.owner, to: self.b.owner)
        }

        /// Another run of "b".
        func begin(_ incarnation: Int64) throws -> NodeRun {
            try self.store.begin(Self.node("b", incarnation), lease: .seconds(5))
        }
    }

    struct Call: Sendable, CustomTestStringConvertible {
        /// The name of its statement.
        let testDescription: String
        let make: @Sendable (Scene) throws -> Void
        /// What is then seen of it.
        let isDone: @Sendable (ClusterView, Scene) -> Bool
        /// What becomes of whoever makes it again.
        let isRightAgain: @Sendable (Scene) throws -> Bool
    }

    static let calls = [
        Call(testDescription: "claim") { scene in
            _ = try scene.claim()
        } isDone: { view, scene in
            view.shards[0].owner == scene.a.owner && view.shards[0].epoch.rawValue == 2
        } isRightAgain: { scene in
            try scene.claim().map(\.epoch.rawValue) == [3]
        },
        Call(testDescription: "take") { scene in
            _ = try scene.take()
        } isDone: { view, scene in
            view.shards[1].owner == scene.a.owner && view.shards[1].epoch.rawValue == 1
        } isRightAgain: { scene in
            // It is not as it was seen any more.
            try scene.take().isEmpty
        },
        Call(testDescription: "give") { scene in
            _ = try scene.give()
        } isDone: { view, scene in
            view.shards[0].owner == scene.b.owner && view.shards[0].epoch.rawValue == 2
        } isRightAgain: { scene in
            try !scene.give()
        },
        Call(testDescription: "beat") { scene in
            _ = try scene.store.beat(scene.a)
        } isDone: { view, scene in
            view.nodes[0].beat == scene.seen.nodes[0].beat + 1
        } isRightAgain: { scene in
            try scene.store.beat(scene.a) != nil
        },
        Call(testDescription: "begin") { scene in
            _ = try scene.begin(3)
        } isDone: { view, _ in
            view.nodes[1].life == .live && view.nodes[1].owner == Scene.node("b", 3).owner
        } isRightAgain: { scene in
            // The run whose registration was not heard of ends with the next one's.
            let unheard = try scene.store.view().nodes[1].run
            let next = try scene.begin(4)
            return try next.liveEpoch > unheard.liveEpoch && scene.store.beat(unheard) == nil
                && scene.store.beat(next) != nil
        },
        Call(testDescription: "depose") { scene in
            _ = try scene.store.depose(scene.seen.nodes[1])
        } isDone: { view, scene in
            view.nodes[1].life == .deposed && view.nodes[1].liveEpoch > scene.b.liveEpoch
        } isRightAgain: { scene in
            try !scene.store.depose(scene.seen.nodes[1]) && scene.store.beat(scene.b) == nil
        },
    ]

    @Test("a call whose answer is lost throws, was made once, and may be made again", arguments: Self.calls)
    func mayBeMadeAgain(_ call: Call) throws {
        let store = try self.way.store()
        let scene = try Scene(store)
        self.way.proxy.set(.beforeTheAnswerTo(statement: call.testDescription))
        #expect(StoreError.code { try call.make(scene) } == .unavailable)
        #expect(call.isDone(try store.view(), scene))
        #expect(try call.isRightAgain(scene))
        try self.way.finish(store)
    }
}

extension NodeRecord {
    fileprivate var owner: ShardRecord.Owner { ShardRecord.Owner(node: self.id, incarnation: self.incarnation) }
}
