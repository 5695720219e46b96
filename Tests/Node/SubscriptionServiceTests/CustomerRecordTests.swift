import Customers
import EventLog
import InMemoryStore
import PerennialTestSupport
import Queries
import SQLiteStore
import ServiceContract
import SubscriptionService
import Subscriptions
import Synchronization
import Testing
import WireProtocol

/// What people say of customers through the whole of a node: order, restarts, owners.
@Suite(.timeLimit(.minutes(10))) struct CustomerRecordTests: CustomerSuite {
    @Test func `grants and attributes survive a restart, and the log gives the very state of the row`() async throws {
        let directory = try TemporaryDirectory()
        for round in 0..<2 {
            let store = try Node.sqlite(in: directory)
            try await self.node(store).run { service in
                if round == 0 {
                    try await service.change(Self.grant("a", until: Node.start + .days(30)))
                    try await service.change(Self.grant("b"))
                    try await service.change(CustomerRequest(Self.customer, .revoke(grant: "a")))
                    try await service.change(CustomerRequest(Self.customer, .set(["plan": .text("gold")])))
                }
                let view = try await Self.view(service)
                #expect(view.grants.map(\.id) == ["a", "b"])
                #expect(view.grants.map { $0.revokedAt != nil } == [true, false])
                #expect(view.attributes == ["plan": .text("gold")])
                #expect(try await Self.isEntitled(service))
            }
            let replayed = Mutex<[CustomerState]>([])
            let shards = (0..<16).map { ShardID(rawValue: $0) }
            try await LogReplay(store: store).replay(shards, width: 2) { _, streams in
                replayed.withLock { $0 += streams.compactMap { $0.publisher?.customer } }
            }
            var stored: [CustomerState] = []
            for shard in shards {
                for row in try await store.streams(in: shard, after: nil, limit: 10) {
                    stored.append(try StoredCustomerState(protoBytes: row.state).state)
                }
            }
            #expect(stored.count == 1 && replayed.withLock { $0 } == stored)
            try store.close()
        }
    }

    @Test func `a row that other rules folded is derived anew from the log`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        try await self.node(store).run { service in _ = try await service.change(Self.grant("a")) }
        try await self.node(OtherRules(inner: store)).run { service in
            #expect(try await Self.view(service).grants.map(\.id) == ["a"])
            try await service.change(Self.grant("b"))
            #expect(try await Self.view(service).grants.map(\.id) == ["a", "b"])
        }
    }

    @Test func `a grant ends by itself`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            try await service.change(Self.grant("a", until: Node.start + .days(1)))
            #expect(try await Self.isEntitled(service))
            node.clock.advance(to: Node.start + .days(1))
            #expect(try await !Self.isEntitled(service))
            #expect(try await Self.view(service).grants.count == 1, "it is shown still")
        }
    }

    @Test func `of many grants at once fifty are made, each once`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            let codes = try await withThrowingTaskGroup(of: ServiceError.Code?.self) { group in
                for number in 0..<120 {
                    group.addTask { await Self.refusal(of: Self.grant("\(number / 2)"), service) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 100)
            #expect(codes.count { $0 == .tooManyGrants } == 20)
            let ids = try await Self.view(service).grants.map(\.id)
            #expect(ids.count == 50 && Set(ids).count == 50)
            // What the customer is told of them comes when it comes.
            let events = try await service.changes(after: nil, limit: 1_000).events
            let kinds = events.map(\.event.kind).filter { $0 != .entitlementGained }
            #expect(kinds == Array(repeating: .granted, count: 50))
        }
    }

    @Test func `a request that is sent again after another's is carried out once`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            try await service.change(Self.grant("a"))
            let key = try #require(try await service.changes(after: nil, limit: 10).events.first?.key)
            func submission(_ number: UInt8, _ request: CustomerRequest) -> Submission {
                Submission(
                    key: key,
                    bundle: FactBundle(
                        source: .person, dedupKey: [number], contentDigest: .zero, signedDate: Node.start,
                        customer: request), evidence: nil)
            }
            let revoke = CustomerRequest(Self.customer, .revoke(grant: "a"))
            // What the customer is told of them takes versions too, whenever it comes.
            guard case .recorded(let version) = try await service.record(submission(1, revoke)) else {
                Issue.record("it is not recorded")
                return
            }
            let again = Self.grant("a", replaces: true)
            guard case .recorded(let next) = try await service.record(submission(2, again)) else {
                Issue.record("it is not recorded")
                return
            }
            #expect(version < next)
            #expect(try await service.record(submission(1, revoke)) == .duplicate(version))
            #expect(try await Self.isEntitled(service))
        }
    }

    @Test func `either of two nodes takes what is said of a customer, and both tell it`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .supported)
        let apple = try TestAppStore()
        let second = try Node(named: "b", assigned: 8..<16, store: store, apple: apple)
        try await Node(named: "a", assigned: 0..<8, store: store, apple: apple).run { one in
            try await second.run { two in
                let services = [one, two]
                // The first call of each waits for its connection.
                for service in services {
                    await eventually { await Self.refusal(of: Self.grant("first"), service) == nil }
                }
                for (number, service) in services.enumerated() {
                    try await service.change(Self.grant("\(number)"))
                    let attributes: [String: AttributeValue] = [
                        "n": .number(Double(number) + 0.5), "b": .boolean(true),
                    ]
                    try await service.change(CustomerRequest(Self.customer, .set(attributes.mapValues(Optional.some))))
                    for other in services {
                        let view = try await Self.view(other)
                        #expect(view.grants.map(\.id) == ["first"] + (0...number).map(String.init))
                        #expect(view.attributes == attributes)
                        #expect(try await Self.isEntitled(other))
                    }
                    // What the owner refuses comes back as it said it.
                    let over = Self.grant("x", until: Node.start - .days(1))
                    #expect(await Self.refusal(of: over, service) == .invalidGrant)
                    let unknown = CustomerRequest(Self.customer, .revoke(grant: "x"))
                    #expect(await Self.refusal(of: unknown, service) == .unknownGrant)
                }
            }
        }
    }

    @Test func `what cannot be granted is refused before anything is asked`() async throws {
        let node = try Node(store: InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            #expect(await Self.refusal(of: Self.grant("a", entitlement: "moon"), service) == .unknownEntitlement)
            #expect(await Self.refusal(of: Self.grant("a"), service) == .olderNodes)
            let view = try await Self.view(service)
            #expect(!view.isKnown)
        }
    }
}

/// A store whose rows of customers were folded by rules of another version, which came to nothing.
private struct OtherRules: ForwardingStore {
    let inner: any EventStore

    func load(_ requests: [LoadRequest]) async throws(StoreError) -> [LoadAnswer] {
        var answers = try await self.inner.load(requests)
        for answer in answers.indices {
            for place in answers[answer].streams.indices
            where answers[answer].streams[place].key.first == StreamKind.customer.rawValue {
                answers[answer].streams[place].state = [0x08, 0x7F]
            }
        }
        return answers
    }
}
