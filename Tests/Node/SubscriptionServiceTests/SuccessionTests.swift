import Customers
import EventLog
import InMemoryStore
import PerennialTestSupport
import Queries
import SQLiteStore
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// Subscriptions that go on under another original transaction id (Apple's `previousOriginalTransactionId`).
@Suite(.timeLimit(.minutes(10))) struct SuccessionTests: CustomerSuite {
    /// A subscription of this id, bought on a day, that names another one as its predecessor.
    static func payload(
        _ id: String, after predecessor: String?, day: Int64, token: String? = nil, _ node: Node
    ) throws -> [UInt8] {
        var life = TestSubscription(id: id, from: Node.start + .days(day))
        var notification = life.subscribe()
        notification.period?.predecessor = predecessor
        notification.period?.appAccountToken = token
        return try node.apple.sign(notification)
    }

    static func successor(of id: String, _ service: SubscriptionService) async throws -> String? {
        try await service.view(id).snapshot?.supersededBy?.rawValue
    }

    @Test(arguments: [false, true])
    func `the old subscription says by which it is superseded, whichever came first`(oldIsFirst: Bool) async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        let (old, new) = (
            try Self.payload("1", after: nil, day: -40, node), try Self.payload("2", after: "1", day: 0, node)
        )
        try await node.run { service in
            for payload in oldIsFirst ? [old, new] : [new, old] {
                _ = try await service.ingest(signedPayload: payload)
                // Whatever the first has left to do is done before the other one comes.
                try await eventually { try await node.store.inboxDepth().waiting == 0 }
            }
            try await eventually { try await Self.successor(of: "1", service) == "2" }
            #expect(try await Self.successor(of: "2", service) == nil)
            let kinds = try await service.history(StreamReference(id: "1")).map(\.event.kind)
            #expect(Set(kinds) == [.subscribed, .superseded] && kinds.count == 2)
            // What names it once more says nothing new.
            _ = try await service.ingest(signedPayload: Self.payload("2", after: "1", day: 0, node))
            try await eventually { try await node.store.inboxDepth().waiting == 0 }
            #expect(try await service.history(StreamReference(id: "1")).count == 2)
        }
    }

    @Test func `a check of the old id is answered by the new one, in every consistency`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        let payloads = [
            try Self.payload("1", after: nil, day: -80, node), try Self.payload("2", after: "1", day: -40, node),
            try Self.payload("3", after: "2", day: 0, node),
        ]
        try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            let request = CheckRequest(stream: StreamReference(id: "1"), entitlement: "pro")
            let unknown = CheckRequest(stream: StreamReference(id: "9"), entitlement: "pro")
            try await eventually { try await service.check("1", entitlement: "pro")?.entitled == true }
            for consistency in [Consistency.local, .owner, .durable] {
                let response = try await service.check(
                    [unknown, request, request], consistency: consistency, atLeast: nil)
                #expect(response.results[0].isEntitled == false)
                #expect(response.results[1].isEntitled == true && response.results[2].isEntitled == true)
                // The token speaks of the shards of all that were followed.
                let again = try await service.check([request], consistency: consistency, atLeast: response.token)
                #expect(again.results[0].isEntitled == true)
            }
            // While the old one entitles it answers for itself.
            #expect(try await service.view("1", at: Node.start - .days(70)).snapshot?.entitled == true)
        }
        // and: after a restart at once
        try await node.run { service in
            let verdict = try #require(try await service.check("1", entitlement: "pro"))
            #expect(verdict.entitled && verdict.validUntil != nil && verdict.reason == nil)
        }
    }

    @Test func `an old id that is not known is answered by what supersedes it`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            _ = try await service.ingest(signedPayload: Self.payload("2", after: "1", day: 0, node))
            try await eventually { try await service.check("1")?.entitled == true }
            await #expect(throws: ServiceError.self) { try await service.view("1") }
        }
    }

    @Test func `one bundle may go on as several, and any of them that entitles counts`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        let payloads = [
            try Self.payload("1", after: nil, day: -80, node), try Self.payload("2", after: "1", day: -10, node),
            // It was bought last and is over already.
            try Self.payload("3", after: "1", day: -40, node),
        ]
        try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            try await eventually { try await service.check("1", entitlement: "pro")?.entitled == true }
            try await eventually {
                try await service.history(StreamReference(id: "1")).count { $0.event.kind == .superseded } == 2
            }
            try await service.link(StreamReference(id: "1"), LinkRequest(Self.customer, origin: .backend))
            let view = try await service.customer(Self.customer, in: .production, atLeast: nil)
            #expect(Set(view.streams.map(\.key.id)) == ["1", "2", "3"])
        }
    }

    @Test func `of two that supersede each other the one bought last counts`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            // Both are over, each ended in its own way.
            _ = try await service.ingest(signedPayload: Self.payload("1", after: "2", day: -90, node))
            _ = try await service.ingest(signedPayload: Self.payload("2", after: "1", day: -60, node))
            try await eventually { try await node.store.inboxDepth().waiting == 0 }
            try await eventually { try await Self.successor(of: "2", service) == "1" }
            #expect(try await Self.successor(of: "1", service) == "2")
            let version = try await service.check("2")?.version
            for id in ["1", "2"] {
                let verdict = try await service.check(id)
                #expect(verdict?.entitled == false && verdict?.version == version, "\(id)")
            }
        }
    }

    @Test func `a subscription without a token leads where its predecessor does`() async throws {
        let directory = try TemporaryDirectory()
        for store in [InMemoryEventStore(shardCount: 16), try Node.sqlite(in: directory)] as [any EventStore] {
            let node = try self.node(store)
            let token = "a1b2c3d4-0000-4000-8000-000000000001"
            let holder = try #require(CustomerID(token))
            try await node.run { service in
                _ = try await service.ingest(signedPayload: Self.payload("1", after: nil, day: -40, token: token, node))
                #expect(try await service.customer(holder, in: .production, atLeast: nil).streams.count == 1)
                _ = try await service.ingest(signedPayload: Self.payload("2", after: "1", day: 0, node))
                try await eventually {
                    try await service.customer(holder, in: .production, atLeast: nil).streams.count == 2
                }
                // The customer is told of it.
                try await eventually {
                    try await CustomerTellingTests.told(holder, store).last == "entitlementGained pro by 2"
                }
                // A backend that links the old one takes the new one along.
                let rules = LinkRequest(Self.customer, origin: .backend)
                await #expect(throws: ServiceError.self) { try await service.link(StreamReference(id: "1"), rules) }
                // What the new one itself says comes first.
                try await service.link(StreamReference(id: "2"), rules)
                let left = try await service.customer(holder, in: .production, atLeast: nil).streams.map(\.key.id)
                #expect(left == ["1"])
                let view = try await service.customer(Self.customer, in: .production, atLeast: nil)
                #expect(view.streams.map(\.key.id) == ["2"])
            }
        }
    }

    @Test func `a customer's answer follows a link of the predecessor`() async throws {
        // Of a store that no other process can share: customers are remembered.
        let directory = try TemporaryDirectory()
        var node = try self.node(try Node.sqlite(in: directory))
        node.configuration.customers.transfer = .transfer
        let payloads = [
            try Self.payload("1", after: nil, day: -40, node), try Self.payload("2", after: "1", day: 0, node),
        ]
        let other = try #require(CustomerID("u-2"))
        try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            // They are remembered as they are before.
            for customer in [Self.customer, other] {
                _ = try await service.check(
                    [CustomerQuestion(customer, environment: .production, entitlement: "pro")], besides: .nothing,
                    consistency: .local, atLeast: nil)
            }
            for customer in [Self.customer, other] {
                try await service.link(StreamReference(id: "1"), LinkRequest(customer, origin: .backend))
                try await eventually {
                    let question = CustomerQuestion(customer, environment: .production, entitlement: "pro")
                    let answer = try await service.check(
                        [question], besides: .nothing, consistency: .local, atLeast: nil
                    ).results[0]
                    guard case .answer(let answer, _) = answer else { return false }
                    return answer.entitled && answer.by == .stream(Self.key("2"))
                }
            }
            // The one before has lost both.
            let view = try await service.customer(Self.customer, in: .production, atLeast: nil)
            #expect(view.streams.isEmpty)
        }
    }

    private static func key(_ id: String) -> StreamKey {
        StreamKey(kind: .subscription, id: id, environment: .production, bundleID: TestAppStore.bundles[0])
    }
}

extension CheckResult {
    fileprivate var isEntitled: Bool? { if case .verdict(let verdict) = self { verdict.entitled } else { nil } }
}
