import Customers
import EntitlementStream
import Entitlements
import EventLog
import Foundation
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

/// The example in `proto/example` answers by customer with nothing but the schema.
@Suite(
    .onOwnThreads,
    .enabled(if: PythonSubscriber.python != nil, "set PERENNIAL_TEST_PYTHON to a Python that has pyzmq and protobuf"),
    .timeLimit(.minutes(10)))
struct PythonCustomersTests {
    private static let token = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
    private static let names = ["anna", "ben", "clara", token]

    private static func grant(_ service: SubscriptionService, _ customer: String) async throws {
        // It asks about its own present.
        let grant = Grant(
            id: "g", entitlement: "pro", reason: "r", source: "web", from: PublishingNode.start,
            until: PublishingNode.start + .days(30_000))
        _ = try await service.change(
            CustomerRequest(
                try #require(CustomerID(customer)), .grant(grant, startsNow: true, replaces: true), actor: "shop"))
    }

    /// Waits until it has said last of each who may use something.
    private static func expect(_ subscriber: PythonSubscriber, toSay entitled: Set<String>) async throws {
        await eventually {
            let said = (try? subscriber.entitled()) ?? []
            let last = Dictionary(said.map { ($0.customer, $0.entitlements) }) { $1 }
            return !subscriber.isRunning
                || last
                    == Dictionary(uniqueKeysWithValues: self.names.map { ($0, entitled.contains($0) ? ["pro"] : []) })
        }
        try #require(subscriber.isRunning, "\(subscriber.errors)")
    }

    @Test func `says what customers may use, and whenever that changes`() async throws {
        var node = try PublishingNode()
        _ = try node.store.raiseFeatureLevel(to: .supported)
        node.catalog = Catalog([Catalog.Entry(entitlement: "pro", products: ["pro.monthly"])])
        try await node.run { [node] running in
            let service = running.service
            // given: a purchase that is linked, a grant, and a UUID in upper case
            try await service.renew(0..<1, period: 60)
            try await service.link(
                StreamReference(id: "2000000000"), LinkRequest(CustomerID("anna")!, origin: .backend))
            try await Self.grant(service, "ben")
            try await Self.grant(service, Self.token)
            let subscriber = try PythonSubscriber(of: running, node, keys: node.subscriber, customers: Self.names)
            try await Self.expect(subscriber, toSay: ["anna", "ben", Self.token])
            // when: everything of Ben's becomes Clara's
            _ = try await service.move(CustomerID("ben")!, to: CustomerID("clara")!, actor: nil)
            try await Self.expect(subscriber, toSay: ["anna", "clara", Self.token])
            // and the purchase is nobody's any more
            try await service.link(
                StreamReference(id: "2000000000"), LinkRequest(CustomerID("anna")!, origin: .backend, action: .unlink))
            try await Self.expect(subscriber, toSay: ["clara", Self.token])
            let (status, _) = try await subscriber.end()
            #expect(status == 0, "\(subscriber.errors)")
        }
    }
}
