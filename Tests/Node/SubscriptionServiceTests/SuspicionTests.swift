import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

/// A node whose process is gone, hours before its lease is over.
@Suite(.timeLimit(.minutes(10))) struct SuspicionTests {
    private static let shardCount = 16
    private let store = InMemoryEventStore(shardCount: Self.shardCount)
    private let apple: TestAppStore

    init() throws { self.apple = try TestAppStore() }

    private static let killed = NodeID(rawValue: "b")
    /// Those that the other one will own.
    private static let moved = (0..<5).map { ShardID(rawValue: $0) }
    /// Of subscriptions in these.
    private static let ids = (1_000..<1_200).map { "200000000000\($0)" }
        .filter { Self.moved.contains(ShardHash(shardCount: Self.shardCount)!.shard(of: $0)) }

    private func node(_ name: String, store: any SharedEventStore) throws -> Node {
        var terms = LeaseTerms(length: .seconds(36_000))
        terms.readingInterval = .milliseconds(20)
        terms.beatInterval = .milliseconds(50)
        // Nothing moves by itself.
        terms.settling = .seconds(36_000)
        return try Node(named: name, store: store, apple: self.apple, terms: terms)
    }

    private func subscribe(_ id: String) throws -> [UInt8] {
        var life = TestSubscription(id: id, from: Node.start - .days(1))
        return try self.apple.sign(life.subscribe())
    }

    private func life(of node: NodeID) -> NodeStatus.Life? { self.store.view().nodes.first { $0.id == node }?.life }

    private func untilAllAreOwned(by service: SubscriptionService) async {
        await eventually { (try? await service.statistics().shardsOwned) == Self.shardCount }
    }

    /// A node of shards that another one owned until it was gone; each has a subscription.
    private func run(
        _ node: Node, after ids: ArraySlice<String>, _ body: @Sendable (SubscriptionService) async throws -> Void
    ) async throws {
        try await node.run { one in
            await self.untilAllAreOwned(by: one)
            try await self.node(Self.killed.rawValue, store: SilentPeer(shared: self.store)).run { _ in
                for shard in Self.moved { await eventually { (try? await one.move(shard, to: Self.killed)) != nil } }
                for id in ids {
                    _ = try await one.ingest(signedPayload: self.subscribe(id))
                    // The other one says so: there is a connection.
                    await eventually { (try? await one.view(id)) != nil }
                }
            }
            await self.untilAllAreOwned(by: one)
            try await body(one)
        }
    }

    @Test("what it owned has another owner, who records what comes, and shows it but as the owner")
    func hasAnotherOwner() async throws {
        let node = try self.node("a", store: self.store)
        try await self.run(node, after: Self.ids.prefix(10)) { one in
            #expect(self.life(of: Self.killed) == .deposed)
            #expect(node.log.count(of: "A node that refuses connections is taken for dead") == 1)
            // when
            for id in Self.ids.dropFirst(10) {
                let outcome = try await one.ingest(signedPayload: self.subscribe(id))
                #expect(outcome == .recorded(StreamVersion(rawValue: 1)))
            }
            // then
            #expect(self.store.statistics().events == Self.ids.count)
            #expect(try await one.changes(after: nil, limit: 1_000).events.count == Self.ids.count)
            for id in Self.ids {
                let question = [CheckRequest(stream: StreamReference(id: id), entitlement: "pro")]
                let query = SubscriptionQuery(stream: StreamReference(id: id), consistency: .local)
                let view = try await one.subscription(query)
                #expect(view.snapshot?.state == .subscribed)
                let answer = try await one.check(question, consistency: .local, atLeast: view.token)
                guard case .verdict(let verdict) = answer.results.first else {
                    Issue.record("a check was refused")
                    continue
                }
                #expect(verdict.entitled)
                for consistency in [Consistency.owner, .durable] {
                    await #expect {
                        _ = try await one.check(question, consistency: consistency, atLeast: nil)
                    } throws: { ($0 as? ServiceError)?.code == .frozen }
                }
            }
            // when: whoever posts is to see it at once
            var life = TestSubscription(id: Self.ids[0], from: Node.start - .days(1))
            let posted = try self.apple.transaction(life.subscribe())
            // then
            await #expect {
                _ = try await one.record(signedTransaction: posted, signedRenewalInfo: nil)
            } throws: { ($0 as? ServiceError)?.code == .frozen }
        }
    }

    @Test("one that nobody has ever called is missed, too")
    func isMissedWithoutACall() async throws {
        let node = try self.node("a", store: self.store)
        try await node.run { one in
            // given: they are connected, and that is all
            try await self.node(Self.killed.rawValue, store: SilentPeer(shared: self.store)).run { _ in
                await eventually { one.connections == [Self.killed: true] }
            }
            // then
            await eventually { node.log.count(of: "A node that refuses connections is taken for dead") == 1 }
            #expect(self.life(of: Self.killed) == .deposed)
            // and nobody tries to connect to it any more
            await eventually { one.connections.isEmpty }
        }
    }

    @Test("once it is back as another run, nobody waits for the end of its lease")
    func isBack() async throws {
        let ids = Self.ids.prefix(10)
        try await self.run(try self.node("a", store: self.store), after: ids) { one in
            // when
            try await self.node(Self.killed.rawValue, store: self.store).run { _ in
                // then
                for id in ids { await eventually { (try? await one.view(id)) != nil } }
            }
        }
    }
}
