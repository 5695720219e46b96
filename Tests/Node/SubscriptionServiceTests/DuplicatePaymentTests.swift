import Customers
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

/// Customers are told what they pay for twice, whatever the cause, and when they do no more.
@Suite(.timeLimit(.minutes(10))) struct DuplicatePaymentTests: CustomerSuite {
    private static let token = "a1b2c3d4-0000-4000-8000-000000000001"
    private static var payer: CustomerID { CustomerID(Self.token)! }

    /// Of a customer's own stream what concerns payments, oldest first.
    private static func told(_ customer: CustomerID, _ store: any EventStore) async throws -> [String] {
        let key = StreamKey(.customer, try IdentifierKey(of: store).hash(.customer, customer.rawValue))
        let shard = try #require(ShardHash(shardCount: store.identity.shardCount)).shard(of: key.id)
        return try await store.history(of: key, in: shard).compactMap { _, event -> String? in
            switch event.customer?.content {
            case .duplicatePayment(let pair), .duplicatePaymentClosed(let pair):
                "\(event.kind.rawValue) \(pair.entitlement) \(Self.id(pair.first)) \(Self.id(pair.second))"
            default: nil
            }
        }
    }

    private static func id(_ side: DuplicatePayment.Side) -> String {
        switch side.by {
        case .stream(let key): key.id
        case .grant(let id): id
        }
    }

    /// Waits until nothing is left to do, and the customer was told this, and no more.
    private static func becomes(
        _ expected: [String], _ customer: CustomerID = Self.payer, on store: any EventStore
    ) async throws {
        try await eventually {
            let told = try await Self.told(customer, store)
            let left = try await store.inboxDepth()
            return told == expected && left.waiting == 0
        }
        #expect(try await store.inboxDepth().parked == 0)
    }

    private static func open(_ service: SubscriptionService, _ customer: CustomerID = Self.payer) async throws
        -> [String]
    {
        try await service.customer(customer, in: .production, atLeast: nil).duplicatePayments.map {
            "\(Self.id($0.first)) \(Self.id($0.second))"
        }
    }

    /// The purchases that the list of those paid twice names, page by page.
    private static func listed(_ service: SubscriptionService) async throws -> [String] {
        var (found, next): ([String], String?) = ([], nil)
        repeat {
            let page = try await service.list(CustomerFilter(isPaidTwice: true), after: next, limit: 1)
            #expect(page.listings.allSatisfy { $0.customers == [Self.payer] && $0.duplicatePayments?.count == 1 })
            found += page.listings.map(\.snapshot.key.id)
            next = page.next
        } while next != nil
        return found.sorted()
    }

    /// - Parameter price: of the present period.
    private static func ingest(
        _ notification: TestNotification, price: Int64 = 9_990, token: String? = Self.token, _ node: Node,
        _ service: SubscriptionService
    ) async throws {
        var notification = notification
        notification.period?.price = price
        notification.period?.appAccountToken = token
        _ = try await service.ingest(signedPayload: node.apple.sign(notification))
    }

    private static func renewing(_ id: String, until end: Moment) -> Grant {
        Grant(
            id: id, entitlement: "pro", reason: "r", source: "web", from: Node.start, until: end, renews: true)
    }

    @Test func `two subscriptions are told once, until the customer lets one of them end`() async throws {
        let directory = try TemporaryDirectory()
        for store in [InMemoryEventStore(shardCount: 16), try Node.sqlite(in: directory)] as [any EventStore] {
            let node = try self.node(store)
            try await node.run { service in
                var (one, other) = (
                    TestSubscription(id: "1", from: Node.start), TestSubscription(id: "2", from: Node.start)
                )
                try await Self.ingest(one.subscribe(), node, service)
                try await Self.becomes([], on: store)
                try await Self.ingest(other.subscribe(), node, service)
                var expected = ["duplicatePayment pro 1 2"]
                try await Self.becomes(expected, on: store)
                #expect(try await Self.open(service) == ["1 2"])
                #expect(try await Self.listed(service) == ["1", "2"])
                // Renewals are no news.
                node.clock.advance(to: one.end)
                try await Self.ingest(one.renew(), node, service)
                try await Self.ingest(other.renew(), node, service)
                try await Self.becomes(expected, on: store)
                // when
                one.wait(.days(3))
                node.clock.advance(to: one.now)
                try await Self.ingest(one.turnAutoRenew(false), node, service)
                expected.append("duplicatePaymentClosed pro 1 2")
                try await Self.becomes(expected, on: store)
                #expect(try await Self.open(service) == [])
                #expect(try await Self.listed(service) == [])
                // and what counts once more is told once more
                one.wait(.days(1))
                node.clock.advance(to: one.now)
                try await Self.ingest(one.turnAutoRenew(true), node, service)
                expected.append("duplicatePayment pro 1 2")
                try await Self.becomes(expected, on: store)
                // and a refund ends it
                one.wait(.days(1))
                node.clock.advance(to: one.now)
                try await Self.ingest(one.refund(), node, service)
                expected.append("duplicatePaymentClosed pro 1 2")
                try await Self.becomes(expected, on: store)
            }
        }
    }

    @Test func `a free trial counts from the moment at which it is paid, by time alone`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            var (paid, trial) = (
                TestSubscription(id: "1", from: Node.start + .days(10)), TestSubscription(id: "2", from: Node.start)
            )
            try await Self.ingest(trial.subscribe(), price: 0, node, service)
            node.clock.advance(to: Node.start + .days(10))
            try await Self.ingest(paid.subscribe(), node, service)
            // The renewal is signed half a day before its period begins.
            let end = trial.end
            var renewed = trial.renew()
            renewed.signed = end - .hours(12)
            node.clock.advance(to: renewed.signed)
            try await Self.ingest(renewed, node, service)
            try await Self.becomes([], on: store)
            // when
            node.clock.advance(to: end)
            // then
            try await Self.becomes(["duplicatePayment pro 1 2"], on: store)
        }
    }

    @Test func `what was bought on the last day of another period is told once that is renewed`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            var first = TestSubscription(id: "1", from: Node.start)
            try await Self.ingest(first.subscribe(), node, service)
            let late = first.end - .hours(20)
            node.clock.advance(to: late)
            var second = TestSubscription(id: "2", from: late)
            try await Self.ingest(second.subscribe(), node, service)
            try await Self.becomes([], on: store)
            var renewed = first.renew()
            renewed.signed = late + .hours(1)
            node.clock.advance(to: renewed.signed)
            try await Self.ingest(renewed, node, service)
            // An end that moves is looked at when it has come.
            node.clock.advance(to: late + .hours(20) + .hours(3))
            try await Self.becomes(["duplicatePayment pro 1 2"], on: store)
        }
    }

    @Test func `a grant that renews elsewhere counts until it is taken back, and with whoever has it`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        let other = try #require(CustomerID("u-2"))
        try await node.run { service in
            var life = TestSubscription(id: "1", from: Node.start)
            try await Self.ingest(life.subscribe(), token: nil, node, service)
            try await service.link(StreamReference(id: "1"), LinkRequest(Self.customer, origin: .backend))
            let grant = Self.renewing("web", until: Node.start + .days(20))
            _ = try await service.change(
                CustomerRequest(Self.customer, .grant(grant, startsNow: false, replaces: false)))
            let found = "duplicatePayment pro 1 web"
            try await Self.becomes([found], Self.customer, on: store)
            // when: everything is another customer's
            _ = try await service.move(Self.customer, to: other, actor: nil)
            try await Self.becomes([found, "duplicatePaymentClosed pro 1 web"], Self.customer, on: store)
            try await Self.becomes([found], other, on: store)
            #expect(try await Self.open(service, other) == ["1 web"])
            // and: time alone
            node.clock.advance(to: Node.start + .days(20))
            try await Self.becomes([found, "duplicatePaymentClosed pro 1 web"], other, on: store)
        }
    }

    @Test func `a subscription that goes on under another id is no duplicate of itself`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            var (old, new, third) = (
                TestSubscription(id: "1", from: Node.start), TestSubscription(id: "2", from: Node.start),
                TestSubscription(id: "3", from: Node.start)
            )
            try await Self.ingest(old.subscribe(), node, service)
            var successor = new.subscribe()
            successor.period?.predecessor = "1"
            try await Self.ingest(successor, node, service)
            try await Self.becomes([], on: store)
            var last = third.subscribe()
            last.period?.predecessor = "2"
            try await Self.ingest(last, node, service)
            try await Self.becomes([], on: store)
        }
    }

    @Test func `what is bought in Sandbox is no duplicate, also where it counts in Production`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        var configured = try self.node(store)
        configured.configuration.customers.sandboxByApp[TestAppStore.bundles[0]] = .anybody
        let node = configured
        try await node.run { service in
            for id in ["1", "2"] {
                var life = TestSubscription(id: id, from: Node.start)
                var notification = life.subscribe()
                notification.environment = .sandbox
                try await Self.ingest(notification, node, service)
            }
            // What comes later has been looked at later.
            for id in ["3", "4"] {
                var life = TestSubscription(id: id, from: Node.start)
                try await Self.ingest(life.subscribe(), node, service)
            }
            try await Self.becomes(["duplicatePayment pro 3 4"], on: store)
        }
    }

    @Test func `what was paid twice before the store's level let it be told is told then`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .erasure)
        let node = try Node(store: store)
        try await node.run { service in
            for id in ["1", "2"] {
                var life = TestSubscription(id: id, from: Node.start)
                try await Self.ingest(life.subscribe(), node, service)
            }
            try await Self.becomes([], on: store)
            #expect(try await Self.open(service) == [])
            // when
            #expect(try await service.finalize().featureLevel == .supported)
            // then
            try await Self.becomes(["duplicatePayment pro 1 2"], on: store)
        }
    }

    @Test func `the customer's history says when it began and when it ended`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            for id in ["a", "b"] {
                let grant = Self.renewing(id, until: Node.start + .days(20))
                _ = try await service.change(
                    CustomerRequest(Self.customer, .grant(grant, startsNow: false, replaces: false)))
            }
            try await Self.becomes(["duplicatePayment pro a b"], Self.customer, on: store)
            _ = try await service.change(CustomerRequest(Self.customer, .revoke(grant: "a")))
            try await Self.becomes(
                ["duplicatePayment pro a b", "duplicatePaymentClosed pro a b"], Self.customer, on: store)
            let view = try await service.customer(Self.customer, in: .production, atLeast: nil, withHistory: true)
            let kinds = view.history?.map(\.event.kind)
            #expect(
                kinds == [.duplicatePaymentClosed, .grantRevoked, .duplicatePayment, .granted, .granted])
            // Nothing of it is for people to take back.
            let event = try #require(view.history?.first?.id)
            await #expect(throws: ServiceError.self) {
                try await service.undo(event, of: Self.customer, actor: nil, reason: nil)
            }
        }
    }
}
