import Clustering
import EventSourcing
import Sharding
import SubscriptionRuntime
import Subscriptions
import Testing

/// A node of a cluster whose shards belong to another that is not there.
@Suite(.timeLimit(.minutes(10))) struct InboxTests {
    private let store = InMemoryEventStore(shardCount: 16)
    private let apple: TestAppStore

    init() throws { self.apple = try TestAppStore() }

    private func node(_ name: String) throws -> Node { try Node(named: name, store: self.store, apple: self.apple) }

    private func subscribe(_ id: String) throws -> [UInt8] {
        var life = TestSubscription(id: id, from: Node.start - .days(1))
        return try self.apple.sign(life.subscribe())
    }

    /// Owns all shards and can be called by nobody, until it leaves.
    private func beginGhost() throws -> NodeRun {
        let record = NodeRecord(
            id: NodeID(rawValue: "ghost"), incarnation: Incarnation(rawValue: 1), endpoint: "tcp://127.0.0.1:1",
            curveKeys: [[UInt8](repeating: 7, count: 32)])
        let run = try self.store.begin(record, lease: .seconds(3_600))
        _ = self.store.take(self.store.view().shards, as: run)
        return run
    }

    @Test("what the owner of its shard cannot take is kept, and recorded once by the next owner")
    func keepsAndRecords() async throws {
        let ghost = try self.beginGhost()
        let ids = (0..<8).map { "200000000000\(1_000 + $0)" }
        try await self.node("a").run { service in
            // when: each comes twice
            for id in ids + ids {
                #expect(try await service.ingest(signedPayload: try self.subscribe(id)) == .kept)
            }
            // then
            #expect(self.store.inboxDepth().waiting == ids.count)
            #expect(self.store.statistics().events == 0)

            // when: this node owns the shards
            self.store.leave(ghost)
            // then
            await eventually { self.store.inboxDepth().waiting == 0 }
            for id in ids { #expect(try await service.view(id).snapshot?.state == .subscribed) }
            #expect(self.store.statistics().events == ids.count)
            let again = try await service.ingest(signedPayload: try self.subscribe(ids[0]))
            #expect(again == .duplicate(StreamVersion(rawValue: 1)))
        }
    }

    @Test("what is posted to be seen at once is not kept, but refused")
    func refusesWhatIsAnswered() async throws {
        _ = try self.beginGhost()
        var configured = try self.node("a")
        configured.configuration.cluster?.connectPatience = .milliseconds(10)
        try await configured.run { service in
            var life = TestSubscription(id: "2000000000009001", from: Node.start - .days(1))
            let posted = try self.apple.transaction(life.subscribe())
            await #expect {
                _ = try await service.record(signedTransaction: posted, signedRenewalInfo: nil, customerID: nil)
            } throws: { ($0 as? ServiceError)?.code == .notOwner }
            #expect(self.store.inboxDepth().waiting == 0)
        }
    }

    @Test("what cannot be applied is parked, and holds nothing up")
    func parks() async throws {
        let ghost = try self.beginGhost()
        try await self.node("a").run { service in
            self.store.put(InboxRow(dedupKey: [1], shard: ShardID(rawValue: 3), receivedAt: 0, raw: [255, 255]))
            _ = try await service.ingest(signedPayload: try self.subscribe("2000000000001000"))
            self.store.leave(ghost)
            await eventually { self.store.inboxDepth() == InboxDepth(waiting: 0, parked: 1, oldest: nil) }
            #expect(try await service.view("2000000000001000").snapshot?.state == .subscribed)
        }
    }

    @Test("while nobody owns them, subscriptions are shown and checked as the store has them")
    func answersFromTheStore() async throws {
        // given
        let id = "2000000000001000"
        try await self.node("a").run { service in
            await eventually { (try? await service.statistics().shardsOwned) == 16 }
            _ = try await service.ingest(signedPayload: try self.subscribe(id))
        }
        _ = try self.beginGhost()
        try await self.node("b").run { service in
            // when, then
            let query = SubscriptionQuery(stream: StreamReference(id: id), consistency: .local)
            let view = try await service.subscription(query)
            #expect(view.snapshot?.state == .subscribed)
            #expect(try await service.check(id, entitlement: "pro")?.entitled == true)
            #expect(try await service.check("2000000000001001")?.entitled == false)
            let request = CheckRequest(stream: StreamReference(id: id))
            await #expect {
                _ = try await service.check([request], consistency: .owner, atLeast: nil)
            } throws: { ($0 as? ServiceError)?.code == .notOwner }
        }
    }
}
