import Clustering
import EventLog
import InMemoryStore
import Ownership
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// A node of a cluster whose shards belong to another that is not there.
@Suite(.timeLimit(.minutes(10))) struct InboxTests {
    private let store = InMemoryEventStore(shardCount: 16)
    private let apple: TestAppStore

    init() throws { self.apple = try TestAppStore() }

    private func node(_ name: String) throws -> Node { try Node(named: name, store: self.store, apple: self.apple) }

    /// A node that owns all shards, whoever had them.
    private func nodeAlone() throws -> Node {
        var node = try Node(store: self.store)
        node.apple = self.apple
        return node
    }

    private func subscribe(_ id: String) throws -> [UInt8] {
        var life = TestSubscription(id: id, from: Node.start - .days(1))
        return try self.apple.sign(life.subscribe())
    }

    /// Owns all shards and can be called by nobody, until it leaves.
    private func beginGhost(in store: InMemoryEventStore? = nil) throws -> NodeRun {
        let store = store ?? self.store
        let record = NodeRecord(
            id: NodeID(rawValue: "ghost"), incarnation: Incarnation(rawValue: 1), endpoint: "tcp://127.0.0.1:1",
            curveKeys: [[UInt8](repeating: 7, count: 32)])
        let run = try store.begin(record, lease: .seconds(3_600))
        _ = store.take(store.view().shards, as: run)
        return run
    }

    /// What a node keeps of a notification whose owner it cannot reach.
    private func row(of payload: [UInt8]) async throws -> InboxRow {
        let store = InMemoryEventStore(shardCount: 16)
        _ = try self.beginGhost(in: store)
        try await Node(named: "a", store: store, apple: self.apple).run { service in
            let outcome = try await service.ingest(signedPayload: payload)
            #expect(outcome == .kept)
        }
        return try #require(store.inbox(of: store.identity.shards, after: nil, limit: 1).first)
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
                _ = try await service.record(signedTransaction: posted, signedRenewalInfo: nil)
            } throws: { ($0 as? ServiceError)?.code == .notOwner }
            #expect(self.store.inboxDepth().waiting == 0)
        }
    }

    @Test("what cannot be kept is refused, so that its sender keeps it", arguments: [true, false])
    func refusesWhatItCannotKeep(_ isFull: Bool) async throws {
        // given
        _ = try self.beginGhost()
        let store = HookedSharedStore(self.store)
        let depth = InboxDepth(waiting: 100_000, parked: 0, oldest: nil)
        store.set { hooks in
            if isFull { hooks.inboxDepth = depth } else { hooks.putFailure = HookedSharedStore.unheard }
        }
        try await Node(named: "a", store: store, apple: self.apple).run { service in
            // It counts what waits now and then.
            await eventually {
                (try? await service.ingest(signedPayload: try self.subscribe("2000000000001000"))) == nil
            }
            let waiting = self.store.inboxDepth().waiting
            // when
            let payload = try self.subscribe("2000000000001001")
            let refusal = await #expect(throws: ServiceError.self) { try await service.ingest(signedPayload: payload) }
            // then
            #expect(refusal?.code == (isFull ? .storeFull : .storeUnavailable))
            #expect(refusal?.retryable == true)
            #expect(self.store.inboxDepth().waiting == waiting)
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

    @Test func `a shard whose end is unknown keeps no hint for another shard waiting`() async throws {
        // given: what is kept for two shards, and a store that does not say what became of a commit to one of them
        let ids = ["2000000000001000", "2000000000001001"]
        let payloads = try ids.map { try self.subscribe($0) }
        let rows = [try await self.row(of: payloads[0]), try await self.row(of: payloads[1])]
        let frozen = rows[0].shard
        try #require(rows[1].shard != frozen)
        let store = HookedSharedStore(self.store, appendConcurrency: 2)
        var node = try Node(store: store)
        node.apple = self.apple
        try await node.run { service in
            store.set { hooks in
                hooks.claimFailure = HookedSharedStore.unheard
                hooks.append = { batches, append throws(StoreError) in
                    guard batches.contains(where: { $0.shard == frozen }) else { return try append() }
                    throw StoreError(.outcomeUnknown, "as the test says")
                }
            }
            async let first = service.ingest(signedPayload: payloads[0])
            await eventually { !service.readiness(for: .reads).ready }
            // when: a round passes over the one, and then the other comes
            self.store.put(rows[0])
            try await Task.sleep(for: .milliseconds(600))
            self.store.put(rows[1])
            // then
            await eventually { (try? await service.view(ids[1]).snapshot?.state) == .subscribed }
            #expect(!service.readiness(for: .reads).ready)
            // and: once the store says more
            store.set { hooks in
                hooks.claimFailure = nil
                hooks.append = { _, append throws(StoreError) in try append() }
            }
            #expect(try await first == .recorded(StreamVersion(rawValue: 1)))
            await eventually { self.store.inboxDepth().waiting == 0 }
            #expect(self.store.statistics().events == 2)
        }
    }

    // MARK: A store that knows less than an owner remembers

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// A node runs until it ends by itself, or the inbox is empty.
    /// - Returns: why it ended.
    private func run(_ node: Node, _ body: (SubscriptionService) async throws -> Void) async throws -> ServiceError? {
        let service = try node.service()
        let isOver = Flag()
        return try await withThrowingTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                defer { isOver.isSet.store(true, ordering: .releasing) }
                do { try await service.run() } catch { return error }
                return nil
            }
            await eventually { service.readiness(for: .reads).ready }
            try await body(service)
            await eventually { isOver.isSet.load(ordering: .acquiring) || self.store.inboxDepth().waiting == 0 }
            group.cancelAll()
            return try await group.next() as? ServiceError
        }
    }

    @Test("what the database has forgotten of the log, and not of the inbox, is recorded again")
    func recordsWhatWasForgotten() async throws {
        // given: a standby that lacks an event, while the node that recorded it owns its shard
        let id = "2000000000001000"
        let payload = try self.subscribe(id)
        let row = try await self.row(of: payload)
        let end = try await self.run(self.nodeAlone()) { service in
            let standby = self.store.standby
            let outcome = try await service.ingest(signedPayload: payload)
            #expect(outcome == .recorded(StreamVersion(rawValue: 1)))
            // when: it takes over, and the notification comes again, by way of the inbox
            self.store.failOver(to: standby)
            self.store.put(row)
        }
        // then: what the node remembers is no reason to remove the row
        #expect(end?.code == .storeRewound)
        #expect(self.store.inboxDepth().waiting == 1)
        #expect(self.store.statistics().events == 0)
        // and its next run goes by the log
        try await self.nodeAlone().run { service in
            await eventually { self.store.inboxDepth().waiting == 0 }
            #expect(self.store.statistics().events == 1)
            let view = try await service.view(id)
            #expect(view.snapshot?.state == .subscribed)
        }
    }

    @Test("a row that the store does not let go is judged anew, once its shard has been taken again")
    func takesAgain() async throws {
        let id = "2000000000001000"
        let payload = try self.subscribe(id)
        let row = try await self.row(of: payload)
        try await self.nodeAlone().run { service in
            // given: a claim of the same run, of which it has not heard
            _ = try await service.ingest(signedPayload: payload)
            let owner = try #require(self.store.shards()[Int(row.shard.rawValue)].owner)
            _ = self.store.claim(ShardClaim([row.shard], for: owner, from: owner.incarnation))
            // when
            self.store.put(row)
            // then
            await eventually { self.store.inboxDepth().waiting == 0 }
            #expect(self.store.shards()[Int(row.shard.rawValue)].epoch == Epoch(rawValue: 3))
            #expect(self.store.statistics().events == 1)
            #expect(try await service.view(id).snapshot?.state == .subscribed)
        }
    }

    @Test("a row of a shard that has another owner by now is his, and the shard is let go")
    func leavesToTheOwner() async throws {
        let payload = try self.subscribe("2000000000001000")
        let row = try await self.row(of: payload)
        try await self.nodeAlone().run { service in
            // given: an owner who has not heard that there is another
            _ = try await service.ingest(signedPayload: payload)
            let other = ShardRecord.Owner(node: NodeID(rawValue: "b"), incarnation: Incarnation(rawValue: 7))
            _ = self.store.claim(ShardClaim([row.shard], for: other))
            // when
            self.store.put(row)
            // then
            try await eventually {
                try await service.statistics().shardsOwned == 15 || self.store.inboxDepth().waiting == 0
            }
            #expect(self.store.inboxDepth().waiting == 1)
            #expect(self.store.shards()[Int(row.shard.rawValue)].owner == other)
        }
    }

    // MARK: Meanwhile

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
