import Customers
import Entitlements
import EventLog
import InMemoryStore
import Jobs
import Ownership
import PerennialTestSupport
import Queries
import SQLiteStore
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing
import WireProtocol

/// Customers are told where the answers about them become other ones, whatever the cause.
@Suite(.timeLimit(.minutes(10))) struct CustomerTellingTests: CustomerSuite {
    static let token = "a1b2c3d4-0000-4000-8000-000000000001"

    /// What a customer was told, oldest first: the change, then who gives it.
    static func told(_ customer: CustomerID, _ store: any EventStore) async throws -> [String] {
        try await Self.events(customer, store).map { kind, change in
            let by =
                switch change.current.by {
                case .stream(let key)?: key.id
                case .grant(let id)?: id
                case nil: "-"
                }
            let name = change.name.environment == .production ? "" : " in Sandbox"
            return "\(kind.rawValue) \(change.name.entitlement)\(name) by \(by)"
        }
    }

    private static func changes(_ customer: CustomerID, _ store: any EventStore) async throws -> [EntitlementChange] {
        try await Self.events(customer, store).map(\.change)
    }

    private static func events(
        _ customer: CustomerID, _ store: any EventStore
    ) async throws -> [(kind: Change, change: EntitlementChange)] {
        let key = StreamKey(.customer, try IdentifierKey(of: store).hash(.customer, customer.rawValue))
        let shard = try #require(ShardHash(shardCount: store.identity.shardCount)).shard(of: key.id)
        return try await store.history(of: key, in: shard).compactMap { _, event in
            guard case .told(let change) = event.customer?.content else { return nil }
            #expect(event.changes == [change.change] || event.changes == [.noted] && change.previous == nil)
            return (event.kind, change)
        }
    }

    /// Waits until nothing is left to do, and the customer was told this, and no more.
    private static func becomes(
        _ expected: [String], _ customer: CustomerID = Self.customer, on store: any EventStore
    ) async throws {
        try await eventually {
            let told = try await Self.told(customer, store)
            let left = try await store.inboxDepth()
            return told == expected && left.waiting == 0
        }
        #expect(try await store.inboxDepth().parked == 0)
    }

    private static func signed(_ node: Node, _ notification: TestNotification, token: String?) throws -> [UInt8] {
        var notification = notification
        notification.period?.appAccountToken = token
        return try node.apple.sign(notification)
    }

    @Test func `a purchase, its end and its return are told to the customer whose id its token is`() async throws {
        let directory = try TemporaryDirectory()
        for store in [InMemoryEventStore(shardCount: 16), try Node.sqlite(in: directory)] as [any EventStore] {
            let node = try self.node(store)
            let customer = try #require(CustomerID(Self.token))
            var life = TestSubscription(id: "1", from: Node.start)
            let (bought, renewed) = (life.subscribe(), life.renew())
            try await node.run { service in
                _ = try await service.ingest(signedPayload: Self.signed(node, bought, token: Self.token))
                try await Self.becomes(["entitlementGained pro by 1"], customer, on: store)
                // A renewal moves an end: that is no news.
                node.clock.advance(to: Node.start + .days(30))
                _ = try await service.ingest(signedPayload: Self.signed(node, renewed, token: Self.token))
                try await Self.becomes(["entitlementGained pro by 1"], customer, on: store)
                // Time alone ends it.
                node.clock.advance(to: Node.start + .days(90))
                try await Self.becomes(["entitlementGained pro by 1", "entitlementLost pro by 1"], customer, on: store)
                let lost = try #require(try await Self.changes(customer, store).last)
                #expect(lost.previous?.entitled == true && lost.previous?.state == "subscribed")
                #expect(!lost.current.entitled && lost.current.state == "expired" && lost.current.code == "-5.0")
            }
        }
    }

    @Test func `grants begin and end by themselves, and hand over to each other`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            var later = Grant(
                id: "b", entitlement: "pro", reason: "r", source: "web", from: Node.start + .days(5),
                until: Node.start + .days(20))
            _ = try await service.change(
                CustomerRequest(Self.customer, .grant(later, startsNow: false, replaces: false)))
            try await Self.becomes([], Self.customer, on: store)
            _ = try await service.change(Self.grant("a", until: Node.start + .days(10)))
            try await Self.becomes(["entitlementGained pro by a"], Self.customer, on: store)
            // Of two that are worth the same the first goes on giving it, and the other one follows.
            node.clock.advance(to: Node.start + .days(5))
            try await Self.becomes(["entitlementGained pro by a"], Self.customer, on: store)
            node.clock.advance(to: Node.start + .days(10))
            var expected = ["entitlementGained pro by a", "entitlementChanged pro by b"]
            try await Self.becomes(expected, Self.customer, on: store)
            // One that is made longer goes on.
            later.until = Node.start + .days(30)
            _ = try await service.change(
                CustomerRequest(Self.customer, .grant(later, startsNow: false, replaces: true)))
            node.clock.advance(to: Node.start + .days(20))
            try await Self.becomes(expected, Self.customer, on: store)
            node.clock.advance(to: Node.start + .days(30))
            expected.append("entitlementLost pro by -")
            try await Self.becomes(expected, Self.customer, on: store)
        }
    }

    @Test func `a link, a move and a refused registration are told to both sides`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        let (other, third) = (try #require(CustomerID("u-2")), try #require(CustomerID("u-3")))
        var life = TestSubscription(id: "1", from: Node.start)
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            try await service.link(StreamReference(id: "1"), LinkRequest(Self.customer, origin: .backend))
            try await Self.becomes(["entitlementGained pro by 1"], Self.customer, on: store)
            _ = try await service.move(Self.customer, to: other, actor: nil)
            try await Self.becomes(
                ["entitlementGained pro by 1", "entitlementLost pro by -"], Self.customer, on: store)
            try await Self.becomes(["entitlementGained pro by 1"], other, on: store)
            try await service.link(
                StreamReference(id: "1"), LinkRequest(other, origin: .backend, action: .unlink))
            try await Self.becomes(["entitlementGained pro by 1", "entitlementLost pro by -"], other, on: store)
            #expect(try await Self.told(third, store).isEmpty)
        }
    }

    @Test func `a token that is registered and released leads elsewhere, and both hear of it`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        let owner = try #require(CustomerID(Self.token))
        var life = TestSubscription(id: "1", from: Node.start)
        let payload = try Self.signed(node, life.subscribe(), token: Self.token)
        try await node.run { service in
            let token = RegistrableIdentifier.token(try #require(AccountToken(Self.token)))
            try await service.register([token], for: Self.customer, actor: nil)
            _ = try await service.ingest(signedPayload: payload)
            try await Self.becomes(["entitlementGained pro by 1"], Self.customer, on: store)
            #expect(try await Self.told(owner, store).isEmpty)
            try await service.release(token, of: Self.customer, actor: nil)
            try await Self.becomes(
                ["entitlementGained pro by 1", "entitlementLost pro by -"], Self.customer, on: store)
            try await Self.becomes(["entitlementGained pro by 1"], owner, on: store)
        }
    }

    @Test func `whoever loses a linked purchase to a registered token hears of it`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        var node = try self.node(store)
        node.configuration.customers.tokens = .registered
        var life = TestSubscription(id: "1", from: Node.start)
        // given: a purchase whose newest period carries a token that nobody has registered, and a link from before
        let (bought, renewed) = (try node.apple.sign(life.subscribe()), life.renew())
        let carrying = try Self.signed(node, renewed, token: Self.token)
        let other = try #require(CustomerID("u-2"))
        let clock = node.clock
        try await node.run { service in
            _ = try await service.ingest(signedPayload: bought)
            try await service.link(StreamReference(id: "1"), LinkRequest(Self.customer, origin: .backend))
            clock.advance(to: Node.start + .days(30))
            _ = try await service.ingest(signedPayload: carrying)
            try await Self.becomes(["entitlementGained pro by 1"], Self.customer, on: store)
            // when
            let token = RegistrableIdentifier.token(try #require(AccountToken(Self.token)))
            try await service.register([token], for: other, actor: nil)
            // then
            try await Self.becomes(["entitlementGained pro by 1"], other, on: store)
            try await Self.becomes(
                ["entitlementGained pro by 1", "entitlementLost pro by -"], Self.customer, on: store)
        }
    }

    @Test func `a changed catalog is told of what it gives, once the job has run`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        var node = try self.node(store)
        let customer = try #require(CustomerID(Self.token))
        var life = TestSubscription(id: "1", from: Node.start)
        let payload = try Self.signed(node, life.subscribe(), token: Self.token)
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            try await Self.becomes(["entitlementGained pro by 1"], customer, on: store)
        }
        node.clock.advance(to: Node.start + .hours(1))
        node.catalog = Catalog([Catalog.Entry(entitlement: "news", products: ["pro.monthly"])])
        try await node.run { service in
            _ = try await ReevaluationTests.reevaluate(service)
            try await Self.becomes(
                ["entitlementGained pro by 1", "entitlementGained news by 1", "entitlementLost pro by -"], customer,
                on: store)
        }
    }

    @Test func `what a stopped node has left to do is done by the next one`() async throws {
        let directory = try TemporaryDirectory()
        let store = try Node.sqlite(in: directory)
        let customer = try #require(CustomerID(Self.token))
        var life = TestSubscription(id: "1", from: Node.start)
        let node = try self.node(store)
        let payload = try Self.signed(node, life.subscribe(), token: Self.token)
        // given: a node that is told of nothing while it runs
        try await self.node(DeafInbox(inner: store)).run { _ = try await $0.ingest(signedPayload: payload) }
        #expect(try await store.inboxDepth().waiting == 1)
        // when
        try await node.run { service in
            try await Self.becomes(["entitlementGained pro by 1"], customer, on: store)
        }
        // then
        #expect(try await store.inboxDepth() == InboxDepth(waiting: 0, parked: 0, oldest: nil))
        try store.close()
    }

    @Test func `of two that have looked at once one tells, and what the other had read does not count`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        let key = StreamKey(.customer, try IdentifierKey(of: store).hash(.customer, Self.customer.rawValue))
        @Sendable func submission(_ telling: CustomerTelling, _ number: UInt8) -> Submission {
            var bundle = FactBundle(
                source: .client, dedupKey: [number], contentDigest: .zero, signedDate: Node.start)
            bundle.customer = CustomerRequest(Self.customer, .tell(telling))
            return Submission(key: key, bundle: bundle, evidence: nil)
        }
        let name = EntitlementName("pro", in: .production)
        let gained = EntitlementChange(
            name, from: nil, to: ToldAnswer(entitled: true, code: "5.0", rank: 1, by: .grant(id: "x")))
        let soon = Node.start + .days(1)
        try await node.run { service in
            _ = try await service.record(submission(CustomerTelling([gained], at: 0, due: nil, next: soon), 1))
            // The version, and when it was to be looked at again, both have to be those that were read.
            let stale = [
                CustomerTelling([gained], at: 0, due: nil, next: nil), CustomerTelling([], at: 0, due: soon, next: nil),
                CustomerTelling([], at: 1, due: nil, next: nil),
                // What another clock sees to come has been here.
                CustomerTelling([], at: 1, due: soon, next: Node.start),
            ]
            for (number, telling) in stale.enumerated() {
                await #expect(throws: ServiceError.self) {
                    try await service.record(submission(telling, UInt8(10 + number)))
                }
            }
            _ = try await service.record(submission(CustomerTelling([], at: 1, due: soon, next: nil), 2))
            #expect(try await Self.told(Self.customer, store) == ["entitlementGained pro by x"])
        }
    }

    @Test func `what customers had before they were told is noted, and its end is told`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .reevaluations)
        let node = try Node(store: store)
        var life = TestSubscription(id: "1", from: Node.start)
        let payload = try Self.signed(node, life.subscribe(), token: Self.token)
        let customer = try #require(CustomerID(Self.token))
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            try await service.change(Self.grant("a", until: Node.start + .days(3)))
            // when
            #expect(try await service.finalize().featureLevel == .supported)
            try await eventually { try await service.allJobs().first?.state == .done }
            // then: nobody hears of it
            let key = StreamKey(.customer, try IdentifierKey(of: store).hash(.customer, customer.rawValue))
            let shard = try #require(ShardHash(shardCount: 16)).shard(of: key.id)
            #expect(try await store.history(of: key, in: shard).map(\.event.kind) == [.noted])
            // and: but of what comes then, also by time alone
            node.clock.advance(to: Node.start + .days(3))
            try await eventually {
                try await Self.told(Self.customer, store) == ["noted pro by a", "entitlementLost pro by -"]
            }
            node.clock.advance(to: Node.start + .days(60))
            try await eventually {
                try await Self.told(customer, store) == ["noted pro by 1", "entitlementLost pro by 1"]
            }
        }
    }

    @Test func `nothing is left to do before the store's level lets it`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .reevaluations)
        let node = try Node(store: store)
        var life = TestSubscription(id: "1", from: Node.start)
        let payload = try Self.signed(node, life.subscribe(), token: Self.token)
        let customer = try #require(CustomerID(Self.token))
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            #expect(store.inboxDepth().waiting == 0)
            #expect(try await Self.told(customer, store).isEmpty)
        }
    }

    @Test func `many changes at once leave each customer with what it was told last`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        _ = try await service.change(
                            Self.grant("\(number % 4)", until: Node.start + .days(1 + Int64(number)), replaces: true))
                        _ = try await service.change(CustomerRequest(Self.customer, .revoke(grant: "\(number % 4)")))
                    }
                }
                for try await _ in group {}
            }
            await eventually { store.inboxDepth().waiting == 0 }
            let changes = try await Self.changes(Self.customer, store)
            // Each goes on where the one before ended.
            for (before, after) in zip(changes, changes.dropFirst()) {
                #expect(after.previous == (before.current.entitled ? before.current : nil))
            }
            #expect(try await Self.isEntitled(service) == changes.last?.current.entitled ?? false)
        }
    }
}

/// A store whose inbox shows nothing.
private struct DeafInbox: ForwardingStore {
    let inner: any EventStore

    func inbox(of shards: [ShardID], after last: InboxRow?, limit: Int) async throws(StoreError) -> [InboxRow] { [] }
}
