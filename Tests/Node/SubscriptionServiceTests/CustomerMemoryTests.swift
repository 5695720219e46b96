import Customers
import EventLog
import InMemoryStore
import PerennialTestSupport
import SQLiteStore
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// A node alone answers checks of customers from memory, and what it says there is what it reads from its store.
@Suite(.timeLimit(.minutes(10))) struct CustomerMemoryTests {
    private static let questions = Happenings.questions

    /// Of a store that no other process can share.
    private static func node(
        _ store: any EventStore = SilentStore(InMemoryEventStore(shardCount: 16))
    ) throws -> Node {
        _ = try store.raiseFeatureLevel(to: .supported)
        return try Node(store: store)
    }

    private static func answers(
        _ service: SubscriptionService, _ consistency: Consistency, _ questions: [CustomerQuestion] = questions
    ) async throws(ServiceError) -> [CustomerResult] {
        try await service.check(questions, besides: .nothing, consistency: consistency, atLeast: nil).results
    }

    private static func remembered(_ service: SubscriptionService) throws -> [CustomerResult]? {
        try service.checkFromMemory(
            Self.questions, besides: .nothing, consistency: .local, atLeast: nil)?.results
    }

    /// What is said at about one time.
    private struct Said {
        let told: [CustomerResult]
        let stored: [CustomerResult]
        let remembered: [CustomerResult]?

        init(_ service: SubscriptionService) async throws {
            self.told = try await CustomerMemoryTests.answers(service, .local)
            self.stored = try await CustomerMemoryTests.answers(service, .durable)
            self.remembered = try CustomerMemoryTests.remembered(service)
        }

        var isOne: Bool { self.told == self.stored && self.remembered.map { $0 == self.told } ?? true }
    }

    /// Others ask all the time, so that what is read is overtaken by what happens.
    @Test(arguments: [TransferPolicy.transfer, .share], 1...8)
    func `whatever happens, memory says what the store says`(_ policy: TransferPolicy, _ seed: UInt64) async throws {
        var node = try Self.node()
        node.configuration.customers.transfer = policy
        node.configuration.customers.tokens = seed.isMultiple(of: 2) ? .id : .registered
        node.configuration.customers.sandboxByApp[TestAppStore.bundles[0]] = .listed(
            customers: [CustomerID("a")!], tokens: [])
        let isOver = Flag()
        try await node.run { [node] service in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        while !isOver.isRaised, !Task.isCancelled {
                            _ = try await Self.answers(service, .local)
                            await Task.yield()
                        }
                    }
                }
                var happening = Happenings(node: node, service: service, random: SeededGenerator(seed: seed))
                var remembered = 0
                for step in 0..<200 {
                    try await happening.next()
                    // What a commit has left to do in other streams goes on between the questions.
                    var said = try await Said(service)
                    while !said.isOne, !Task.isCancelled {
                        await Task.yield()
                        said = try await Said(service)
                    }
                    #expect(said.isOne, "\(policy) \(seed) \(step)")
                    if said.remembered != nil { remembered += 1 }
                }
                #expect(remembered > 100, "they are kept")
                isOver.raise()
                try await group.waitForAll()
            }
        }
    }

    @Test func `one who was asked about is answered while the store is silent, one of whom nothing is known too`()
        async throws
    {
        let store = SilentStore(InMemoryEventStore(shardCount: 16))
        try await Self.node(store).run { service in
            let request = CustomerRequest(
                CustomerID("a")!,
                .grant(
                    Grant(
                        id: "g", entitlement: "pro", reason: "r", source: "web", from: Node.start,
                        until: Node.start + .days(10)), startsNow: true, replaces: false), actor: "shop")
            _ = try await service.change(request)
            let before = try await Self.answers(service, .local)
            store.fallSilent()
            #expect(try Self.remembered(service) == before)
            #expect(before.contains { $0.isEntitled })
            store.speak()
        }
    }

    @Test func `who was not asked about before is refused when the store does not answer in time`()
        async throws
    {
        let store = SilentStore(InMemoryEventStore(shardCount: 16))
        var node = try Self.node(store)
        node.configuration.storePatience = .milliseconds(20)
        try await node.run { service in
            store.fallSilent()
            for consistency in [Consistency.local, .owner, .durable] {
                let error = await #expect(throws: ServiceError.self) { try await Self.answers(service, consistency) }
                #expect(error?.code == .storeUnavailable && error?.retryable == true)
            }
            store.speak()
            await eventually { (try? await Self.answers(service, .local)) != nil }
        }
    }

    @Test func `memory counts after a restart, also of shards to which nobody has written since`() async throws {
        let directory = try TemporaryDirectory()
        for isFirst in [true, false] {
            let store = try Node.sqlite(in: directory)
            let node = try Self.node(store)
            try await node.run { service in
                if isFirst {
                    for number in 1...40 {
                        var life = TestSubscription(id: "\(number)", from: Node.start)
                        _ = try await service.record(
                            signedTransaction: try node.apple.transaction(life.subscribe()), signedRenewalInfo: nil,
                            link: LinkRequest(CustomerID(number == 7 ? "a" : "u-\(number)")!, origin: .post))
                    }
                }
                let told = try await Self.answers(service, .local)
                #expect(told.contains { $0.isEntitled })
                #expect(try Self.remembered(service) == told)
            }
            try store.close()
        }
    }

    @Test func `a token of an answer from memory can be named in the next question`() async throws {
        try await Self.node().run { service in
            _ = try await Self.answers(service, .local)
            let first = try #require(
                try service.checkFromMemory(Self.questions, besides: .nothing, consistency: .local, atLeast: nil))
            let again = try service.checkFromMemory(
                Self.questions, besides: .nothing, consistency: .local, atLeast: first.response.token)
            #expect(again?.response.token == first.response.token)
            #expect(throws: ServiceError.self) {
                try service.checkFromMemory(Self.questions, besides: .nothing, consistency: .local, atLeast: "x")
            }
            #expect(
                try service.checkFromMemory(Self.questions, besides: .nothing, consistency: .durable, atLeast: nil)
                    == nil, "that is asked of the store")
        }
    }
}

extension CheckResponse {
    /// Of no questions.
    static let nothing = CheckResponse(results: [], asOf: Node.start, stale: false, token: "")
}

extension CustomerResult {
    fileprivate var isEntitled: Bool {
        if case .answer(let answer, _) = self { answer.entitled } else { false }
    }
}
