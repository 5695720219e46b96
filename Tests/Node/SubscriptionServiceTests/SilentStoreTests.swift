import Clustering
import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// Checks while the store says nothing: neither an answer nor an error.
@Suite(.timeLimit(.minutes(10))) struct SilentStoreTests {
    private static let map = ShardHash(shardCount: 16)!
    /// Each of a shard of its own.
    private static let ids: [String] = {
        var ids: [ShardID: String] = [:]
        for number in 0..<200 {
            let id = "200000000000\(1_000 + number)"
            ids[Self.map.shard(of: id)] = id
        }
        return ids.values.sorted()
    }()

    private let store = SilentStore(InMemoryEventStore(shardCount: 16))
    private var node: Node

    init() throws {
        self.node = try Node(store: self.store)
        self.node.configuration.storePatience = .milliseconds(50)
    }

    private func subscribeAll(by service: SubscriptionService) async throws {
        for id in Self.ids {
            var life = TestSubscription(id: id, from: Node.start - .days(1))
            _ = try await service.ingest(signedPayload: try self.node.apple.sign(life.subscribe()))
        }
    }

    private func ask(
        _ service: SubscriptionService, _ ids: [String], _ consistency: Consistency, atLeast token: String? = nil
    ) async throws(ServiceError) -> [CheckResult] {
        let requests = ids.map { CheckRequest(stream: StreamReference(id: $0)) }
        return try await service.check(requests, consistency: consistency, atLeast: token).results
    }

    /// Asks until everything is answered: a busy machine may need longer for that than a check is given here.
    private func load(_ ids: [String], by service: SubscriptionService) async {
        await eventually { (try? await self.ask(service, ids, .owner))?.allSatisfy(\.isEntitled) == true }
    }

    @Test(arguments: [Consistency.local, .owner])
    func `what is in memory is answered, and what only the store has is refused`(_ consistency: Consistency)
        async throws
    {
        try await self.node.run { service in
            try await self.subscribeAll(by: service)
            await self.load(Self.ids.dropLast(), by: service)
            self.store.fallSilent()
            defer { self.store.speak() }
            // when
            let results = try await self.ask(service, Self.ids, consistency)
            // then
            #expect(results.dropLast().allSatisfy { $0.isEntitled })
            #expect(results.last == .refused(.storeUnavailable))
        }
    }

    @Test func `a durable check fails where the store does not say what is committed`() async throws {
        try await self.node.run { service in
            try await self.subscribeAll(by: service)
            await self.load(Self.ids, by: service)
            self.store.fallSilent()
            defer { self.store.speak() }
            let error = await #expect(throws: ServiceError.self) {
                try await self.ask(service, Self.ids, .durable)
            }
            #expect(error?.code == .storeUnavailable)
        }
    }

    @Test func `a row that comes too late for its check is there for the next one`() async throws {
        try await self.node.run { service in
            // given
            try await self.subscribeAll(by: service)
            self.store.fallSilent()
            defer { self.store.speak() }
            await #expect(throws: ServiceError.self) { try await self.ask(service, [Self.ids[0]], .local) }
            await eventually { self.store.waiting > 0 }
            // when: what was asked is answered, and nothing after it
            self.store.speak()
            self.store.fallSilent()
            // then
            await eventually { (try? await self.ask(service, [Self.ids[0]], .local))?.first?.isEntitled == true }
        }
    }

    @Test(arguments: [Consistency.local, .owner])
    func `a shard of which only the store knows who wrote its end keeps no other from its answer`(
        _ consistency: Consistency
    ) async throws {
        try await self.node.run { try await self.subscribeAll(by: $0) }
        try await self.node.run { service in
            // given: another run, which has asked about one shard
            await self.load([Self.ids[1]], by: service)
            self.store.fallSilent()
            defer { self.store.speak() }
            // when
            let results = try await self.ask(service, Array(Self.ids.prefix(3)), consistency)
            // then
            #expect(results[1].isEntitled)
            for number in [0, 2] { #expect(results[number] == .refused(.storeUnavailable)) }
        }
    }

    // MARK: Tokens

    @Test(arguments: [Consistency.local, .owner])
    func `a token counts for the shards that are asked about, each by itself`(_ consistency: Consistency) async throws {
        let token = try await self.node.run { service in
            try await self.subscribeAll(by: service)
            await self.load(Self.ids, by: service)
            let requests = Self.ids.map { CheckRequest(stream: StreamReference(id: $0)) }
            return try await service.check(requests, consistency: .owner, atLeast: nil).token
        }
        try await self.node.run { service in
            // given: another run, which does not know who wrote what the token names of other shards
            await self.load([Self.ids[0]], by: service)
            self.store.fallSilent()
            defer { self.store.speak() }
            // when, then
            #expect(
                try await self.ask(service, [Self.ids[0]], consistency, atLeast: token).map(\.isEntitled) == [true])
            let both = try await self.ask(service, Array(Self.ids.prefix(2)), consistency, atLeast: token)
            #expect(both[0].isEntitled)
            #expect(both[1] == .refused(.storeUnavailable))
        }
    }

    @Test(arguments: [Consistency.local, .owner, .durable])
    func `a place that its log does not hold refuses the request`(
        _ consistency: Consistency
    ) async throws {
        // given: a store that answers, however long it takes
        var node = self.node
        node.configuration.storePatience = .seconds(600)
        try await node.run { service in
            try await self.subscribeAll(by: service)
            await self.load(Self.ids, by: service)
            let lost = Self.map.shard(of: Self.ids[3])
            let places = try await self.store.heads().map { head in
                guard head.shard == lost else { return head }
                return Position(
                    shard: lost, sequence: LogSequence(rawValue: head.sequence.rawValue + 1),
                    incarnationTag: head.incarnationTag)
            }
            let token = PositionToken(store: StoreStamp(self.store.identity), positions: places).text
            // when, then
            let refusal = await #expect(throws: ServiceError.self) {
                try await self.ask(service, Self.ids, consistency, atLeast: token)
            }
            #expect(refusal?.code == .storeRewound)
            // and: what is not asked about is not looked at
            #expect(try await self.ask(service, [Self.ids[0]], consistency, atLeast: token).map(\.isEntitled) == [true])
        }
    }

    // MARK: Shards of others

    @Test func `shards whose owner is away are refused when the store does not speak for them`() async throws {
        // given: a node that owns half of the shards, and another that has gone
        let other = try Node(named: "b", assigned: 8..<16, store: self.store, apple: self.node.apple)
        try await other.run { _ in }
        var node = try Node(named: "a", assigned: 0..<8, store: self.store, apple: self.node.apple)
        node.configuration.cluster?.callTimeout = .milliseconds(200)
        node.configuration.storePatience = .milliseconds(50)
        let own = Self.ids.filter { Self.map.shard(of: $0).rawValue < 8 }
        try await node.run { service in
            for id in own {
                var life = TestSubscription(id: id, from: Node.start - .days(1))
                _ = try await service.ingest(signedPayload: try self.node.apple.sign(life.subscribe()))
            }
            await self.load(own, by: service)
            self.store.fallSilent()
            defer { self.store.speak() }
            // when
            let results = try await self.ask(service, Self.ids, .local)
            // then
            for (id, result) in zip(Self.ids, results) {
                if own.contains(id) {
                    #expect(result.isEntitled)
                } else {
                    #expect(result == .refused(.storeUnavailable))
                }
            }
        }
    }
}

extension CheckResult {
    fileprivate var isEntitled: Bool { if case .verdict(let verdict) = self { verdict.entitled } else { false } }
}
