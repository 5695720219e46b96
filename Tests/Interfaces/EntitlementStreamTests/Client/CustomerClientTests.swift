import Customers
import EntitlementStream
import Entitlements
import EventLog
import Foundation
import PerennialClient
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

/// What other services ask by their own ids, against a node over real sockets.
@Suite(.timeLimit(.minutes(10))) struct CustomerClientTests {
    private let node: PublishingNode

    init() throws {
        var node = try PublishingNode()
        _ = try node.store.raiseFeatureLevel(to: .supported)
        node.catalog = Catalog([Catalog.Entry(entitlement: "pro", products: ["pro.monthly"], rank: 3)])
        self.node = node
    }

    private func follow(
        _ running: PublishingNode.Running, _ body: (PerennialClient) async throws -> Void
    ) async throws {
        var configuration = self.node.clientConfiguration(of: running.endpoints.stream)
        configuration.followsCustomers = true
        let client = try PerennialClient(configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            try await client.untilReady()
            try await body(client)
        }
    }

    private static func grant(_ service: SubscriptionService, _ customer: String, days: Int64 = 10) async throws {
        let grant = Grant(
            id: "g", entitlement: "pro", reason: "r", source: "web", from: PublishingNode.start,
            until: PublishingNode.start + .days(days))
        _ = try await service.change(
            CustomerRequest(
                try #require(CustomerID(customer)), .grant(grant, startsNow: true, replaces: true), actor: "shop"))
    }

    private static let now = Date(timeIntervalSince1970: Double(PublishingNode.start.milliseconds) / 1_000 + 60)

    @Test func `answers by the publisher's own ids, from what was copied and from what comes`() async throws {
        try await self.node.run { running in
            let service = running.service
            try await service.renew(0..<3, period: 1)
            try await service.link(
                StreamReference(id: "2000000001"), LinkRequest(CustomerID("anna")!, origin: .backend))
            try await Self.grant(service, "ben")
            try await self.follow(running) { client in
                // then: what was there is copied
                let anna = try client.check(customer: "anna", for: "pro", at: Self.now)
                let view = try await service.customer(CustomerID("anna")!, in: .production, atLeast: nil)
                let owned = try #require(view.entitlements.first)
                #expect(anna.isEntitled == owned.entitled && anna.productID == owned.productID)
                #expect(anna.state?.rawValue == owned.state?.name && !anna.isStale && !anna.hasMoved)
                let ben = try client.check(customer: "ben", for: nil, at: Self.now)
                #expect(ben.isEntitled && ben.state == .granted && ben.entitlement == "pro" && ben.rank == 3)
                let all = try client.entitlements(of: "ben", at: Self.now)
                #expect(all.map { $0.isEntitled } == [true])
                #expect(try client.check(customer: "ben", for: "pro", at: Self.now + 86_400 * 10).isEntitled == false)
                #expect(try client.check(customer: "nobody", for: "pro", at: Self.now).isEntitled == false)
                let names = ["anna", "ben", "nobody"]
                let together = try client.areEntitled(customers: names, to: "pro")
                #expect(try together == names.map { try client.isEntitled(customer: $0, to: "pro") })
                // when: somebody new is given something
                try await Self.grant(service, "clara")
                await eventually {
                    (try? client.check(customer: "clara", for: "pro", at: Self.now).isEntitled) ?? false
                }
                // and everything of Ben's becomes Clara's
                _ = try await service.move(CustomerID("ben")!, to: CustomerID("clara")!, actor: nil)
                await eventually { (try? client.check(customer: "ben", for: "pro", at: Self.now).hasMoved) ?? false }
                #expect(try client.check(customer: "ben", for: "pro", at: Self.now).isEntitled == false)
            }
        }
    }

    @Test func `changes say whose answers they may have changed`() async throws {
        try await self.node.run { running in
            let service = running.service
            try await service.renew(0..<2, period: 1)
            try await service.link(
                StreamReference(id: "2000000001"), LinkRequest(CustomerID("anna")!, origin: .backend))
            try await self.follow(running) { client in
                let (anna, ben) = (try client.key(of: "anna"), try client.key(of: "ben"))
                let changes = try client.changes()
                await eventually { changes.position != nil }
                try await service.renew(0..<2, period: 2)
                try await Self.grant(service, "ben")
                var concerned: [String: [PerennialClient.CustomerKey]] = [:]
                for await event in changes {
                    switch event {
                    case .change(let change): concerned[change.subject.originalTransactionID] = change.customers
                    case .customers(let keys) where keys.contains(ben): concerned["ben"] = keys
                    case .customers, .rewound: break
                    }
                    if concerned.count == 3 { break }
                }
                #expect(concerned == ["2000000000": [], "2000000001": [anna], "ben": [ben]])
            }
        }
    }

    @Test func `what cannot be asked is said`() async throws {
        try await self.node.run { running in
            // given: one that does not follow customers, and one that follows nobody yet
            try await self.node.follow(running.endpoints.stream) { client in
                try await client.untilReady()
                #expect(Self.code { try client.isEntitled(customer: "anna", to: "pro") } == .invalidConfiguration)
            }
            var configuration = self.node.clientConfiguration(of: running.endpoints.stream)
            configuration.followsCustomers = true
            let early = try PerennialClient(configuration)
            #expect(Self.code { try early.isEntitled(customer: "anna", to: "pro") } == .notReady)
            try await self.follow(running) { client in
                let anna = try client.isEntitled(customer: "anna", to: "pro")
                #expect(!anna)
                #expect(Self.code { try client.isEntitled(customer: "anna", to: "gold") } == .unknownEntitlement)
                for id in ["", "a\u{7}", String(repeating: "a", count: 129)] {
                    #expect(Self.code { try client.isEntitled(customer: id, to: "pro") } == .invalidCustomer)
                }
            }
        }
    }

    private static func code(_ body: () throws -> Bool) -> PerennialClientError.Code? {
        do { _ = try body() } catch { return (error as? PerennialClientError)?.code }
        return nil
    }
}
