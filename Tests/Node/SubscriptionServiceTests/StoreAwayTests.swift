import Customers
import EventLog
import InMemoryStore
import Mirroring
import Ownership
import PerennialTestSupport
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// `local` checks of a node's own shards while the store is away.
@Suite(.timeLimit(.minutes(10))) struct StoreAwayTests {
    private static let shardCount = 16
    private static let ids = (0..<40).map { "200000000000\(1_000 + $0)" }

    private let memory = InMemoryEventStore(shardCount: Self.shardCount)
    private let store: AwayStore
    private let apple: TestAppStore
    private let mirror = EntitlementMirror(
        map: ShardHash(shardCount: Self.shardCount)!, staleness: .seconds(1_000), origin: .now - .seconds(10_000))

    init() throws {
        self.store = AwayStore(self.memory)
        self.apple = try TestAppStore()
    }

    private func node(_ name: String, hasMirror: Bool, reads: Duration? = nil) throws -> Node {
        var terms = Node.terms
        if let reads { terms.reads = reads }
        var node = try Node(named: name, store: self.store, apple: self.apple, terms: terms)
        if hasMirror { node.configuration.mirror = self.mirror }
        return node
    }

    private func ownsAll(_ service: SubscriptionService) async {
        await eventually { (try? await service.statistics().shardsOwned) == Self.shardCount }
    }

    private func subscribeAll(by service: SubscriptionService) async throws {
        for id in Self.ids {
            var life = TestSubscription(id: id, from: Node.start - .days(1))
            _ = try await service.ingest(signedPayload: try self.apple.sign(life.subscribe()))
        }
    }

    /// The mirror has heard of all that is committed.
    private func fillMirror(asOf moment: ContinuousClock.Instant = .now) throws {
        for shard in self.mirror.map.shards {
            for row in self.memory.streams(in: shard, after: nil, limit: 1_000) {
                try self.mirror.apply(key: row.key, entitlement: row.entitlement, in: shard)
            }
        }
        for head in self.memory.heads() {
            self.mirror.setPosition(head)
            self.mirror.setCurrent(head.shard, asOf: moment)
        }
    }

    private func ask(
        _ service: SubscriptionService, _ ids: [String], _ consistency: Consistency = .local,
        atLeast token: String? = nil
    ) async throws(ServiceError) -> CheckResponse {
        let requests = ids.map { CheckRequest(stream: StreamReference(id: $0), entitlement: "pro") }
        return try await service.check(requests, consistency: consistency, atLeast: token)
    }

    /// Each by itself, and all at a time.
    private func expectAllAnswered(by service: SubscriptionService, stale: Bool = false) async throws {
        for id in Self.ids {
            let answer = try await self.ask(service, [id])
            #expect(answer.results.map(\.isEntitled) == [true])
            #expect(answer.stale == stale)
        }
        let all = try await self.ask(service, Self.ids + ["404"])
        #expect(all.results.map(\.isEntitled) == Array(repeating: true, count: Self.ids.count) + [false])
        #expect(all.stale == stale)
        #expect(try await self.ask(service, ["404"]).results.map(\.isEntitled) == [false])
    }

    @Test("what a node has not been asked for before, of its own shards, comes from its mirror")
    func asksTheMirrorForWhatIsNotLoaded() async throws {
        try await self.node("a", hasMirror: true).run { service in
            // given: all of it recorded here, and a few loaded
            await self.ownsAll(service)
            try await self.subscribeAll(by: service)
            for id in Self.ids.prefix(3) { _ = try await self.ask(service, [id], .owner) }
            try self.fillMirror()
            let questions = self.store.questions
            // when
            self.store.setAway(true)
            // then
            try await self.expectAllAnswered(by: service)
            #expect(self.store.questions == questions)
            self.store.setAway(false)
        }
    }

    @Test(
        "after a takeover the survivor answers from its mirror what its tables have not loaded",
        arguments: [true, false])
    func answersAfterATakeover(_ knowsHeads: Bool) async throws {
        // given: another node that has recorded all, and has gone
        try await self.node("b", hasMirror: false).run { other in
            await self.ownsAll(other)
            try await self.subscribeAll(by: other)
        }
        try await self.node("a", hasMirror: true).run { service in
            await self.ownsAll(service)
            try self.fillMirror()
            // The first question to an owner has it look up who wrote the end of its log.
            let token = knowsHeads ? try await self.ask(service, (0..<64).map { "\($0)" }, .owner).token : nil
            // when
            self.store.setAway(true)
            // then
            try await self.expectAllAnswered(by: service)
            if let token {
                let answer = try await self.ask(service, Self.ids, atLeast: token)
                #expect(answer.results.allSatisfy { $0.isEntitled })
            }
            self.store.setAway(false)
        }
    }

    @Test("a node that may not answer as the owner any more answers from its mirror, and says how old that is")
    func answersBeyondItsLease() async throws {
        try await self.node("a", hasMirror: true, reads: .seconds(2)).run { service in
            // given: the store is away for longer than the lease
            await self.ownsAll(service)
            try await self.subscribeAll(by: service)
            await eventually { (try? await self.ask(service, Self.ids, .owner)) != nil }
            try self.fillMirror(asOf: .now - .seconds(5_000))
            self.store.setAway(true)
            await eventually { (try? await self.ask(service, Self.ids, .owner)) == nil }
            // then
            try await self.expectAllAnswered(by: service, stale: true)
            self.store.setAway(false)
        }
    }

    @Test("without a mirror, what is not loaded is refused, and what is loaded is answered")
    func refusesItemByItem() async throws {
        try await self.node("a", hasMirror: false).run { service in
            // given
            await self.ownsAll(service)
            try await self.subscribeAll(by: service)
            _ = try await self.ask(service, Array(Self.ids.prefix(20)))
            // when
            self.store.setAway(true)
            // then
            for consistency in [Consistency.local, .owner] {
                let answer = try await self.ask(service, Self.ids, consistency)
                #expect(answer.results.prefix(20).allSatisfy { $0.isEntitled })
                #expect(answer.results.suffix(20).allSatisfy { $0 == .refused(.storeUnavailable) })
                // and where nothing can be answered, the request fails
                let error = await #expect(throws: ServiceError.self) {
                    try await self.ask(service, Array(Self.ids.suffix(20)), consistency)
                }
                #expect(error?.code == .storeUnavailable)
            }
            self.store.setAway(false)
            await eventually { (try? await self.ask(service, Self.ids))?.results.allSatisfy(\.isEntitled) == true }
        }
    }

    @Test("a row that cannot be read refuses its own check alone", arguments: [false, true])
    func refusesAnUnreadableRowAlone(_ failsStatements: Bool) async throws {
        let store = UnreadableStore(failsStatements: failsStatements)
        let node = try Node(store: store)
        try await node.run { service in
            for id in Self.ids {
                var life = TestSubscription(id: id, from: Node.start - .days(1))
                _ = try await service.ingest(signedPayload: try node.apple.sign(life.subscribe()))
            }
            store.spoils.withLock { $0 = Self.ids[7] }
            for consistency in [Consistency.local, .owner] {
                let answer = try await self.ask(service, Self.ids, consistency)
                for (number, result) in answer.results.enumerated() {
                    if number == 7 { #expect(result == .refused(.corrupt)) } else { #expect(result.isEntitled) }
                }
            }
            // It was not kept.
            store.spoils.withLock { $0 = nil }
            #expect(try await self.ask(service, [Self.ids[7]]).results.map(\.isEntitled) == [true])
        }
    }

    // MARK: Customers

    private func askAboutCustomers(_ service: SubscriptionService) async throws -> (entitled: [Bool], stale: Bool) {
        let questions = [CustomerID("a")!, CustomerID("nobody")!].map { CustomerQuestion($0, entitlement: "pro") }
        let (results, response) = try await service.check(
            questions, besides: CheckResponse(results: [], asOf: Node.start, stale: false, token: ""),
            consistency: .local, atLeast: nil)
        return (
            results.map { result in
                if case .answer(let answer, _) = result { answer.entitled } else { false }
            }, response.stale
        )
    }

    @Test(arguments: [false, true])
    func `customers who were asked about are answered from what the node has followed, and it says how old that is`(
        _ isStale: Bool
    ) async throws {
        _ = self.memory.raiseFeatureLevel(to: .supported)
        let node = try self.node("a", hasMirror: true)
        try await node.run { service in
            await self.ownsAll(service)
            try await self.subscribeAll(by: service)
            try await service.link(
                StreamReference(id: Self.ids[0]), LinkRequest(CustomerID("a")!, origin: .backend))
            // What the customer is told would have it forgotten.
            await eventually { self.memory.inboxDepth().waiting == 0 }
            service.following(self.mirror).begin()
            try self.fillMirror(asOf: isStale ? .now - .seconds(2_000) : .now)
            let before = try await self.askAboutCustomers(service)
            #expect(before.entitled == [true, false])
            #expect(!before.stale, "the store has answered, or what was followed is young")
            self.store.setAway(true)
            let away = try await self.askAboutCustomers(service)
            #expect(away.entitled == [true, false])
            #expect(away.stale == isStale)
            self.store.setAway(false)
        }
    }
}

extension CheckResult {
    fileprivate var isEntitled: Bool { if case .verdict(let verdict) = self { verdict.entitled } else { false } }
}
