import EventLog
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing
import Webhooks
import WireProtocol

/// Webhooks that tell of payments that a customer makes twice.
@Suite(.timeLimit(.minutes(10))) struct DuplicatePaymentWebhookTests {
    private let node: WebhookNode

    init() throws { self.node = try WebhookNode() }

    private var receiver: ScriptedReceiver { self.node.receiver }

    @Test func `a duplicate payment and its end are delivered with both payments, to whoever wants Production`()
        async throws
    {
        let store = self.node.node.store
        _ = try store.raiseFeatureLevel(to: .supported)
        let customer = try #require(CustomerID("u-1"))
        let key = StreamKey(.customer, try IdentifierKey(of: store).hash(.customer, customer.rawValue))
        let pair = DuplicatePayment(
            "pro", since: PublishingNode.start, .init(.grant(id: "play")), .init(.grant(id: "web")))
        @Sendable func submission(_ telling: CustomerTelling) -> Submission {
            var bundle = FactBundle(
                source: .timer, dedupKey: [UInt8(telling.version)], contentDigest: .zero,
                signedDate: PublishingNode.start)
            bundle.customer = CustomerRequest(customer, .tell(telling))
            return Submission(key: key, bundle: bundle, evidence: nil)
        }
        try await self.node.run { service in
            for environment in ["Production", "Sandbox"] {
                _ = try await self.node.registry.create(
                    WebhookEndpoint.Wish(url: "https://1.1.1.1/\(environment)", environments: [environment]),
                    signedBy: .hmac, from: .now)
            }
            // when
            _ = try await service.record(
                submission(CustomerTelling([], at: 0, due: nil, next: nil, duplicatePayments: [pair])))
            _ = try await service.record(
                submission(CustomerTelling([], at: 1, due: nil, next: nil, closedDuplicatePayments: [pair])))
            // then
            await eventually { self.receiver.taken.count >= 2 }
            #expect(
                self.receiver.taken.map(\.type) == [
                    "customer.duplicate_payment", "customer.duplicate_payment_closed",
                ])
            #expect(self.receiver.attempts.allSatisfy { $0.url.hasSuffix("Production") })
            let payments =
                #""payments":[{"kind":"grant","id":"play","productId":null},{"kind":"grant","id":"web","productId":null}]"#
            #expect(self.receiver.bodies.allSatisfy { $0.contains(payments) })
        }
    }

    @Test func `a duplicate payment is one of Production, and of the apps of both payments`() {
        func side(_ app: String) -> DuplicatePayment.Side {
            let key = StreamKey(
                kind: .subscription, id: app, environment: .production, bundleID: BundleID(rawValue: app))
            return DuplicatePayment.Side(.stream(key), productID: "pro")
        }
        func wants(_ first: DuplicatePayment.Side, in environments: [String] = [], of apps: [String] = []) -> Bool {
            let wish = WebhookEndpoint.Wish(url: "", environments: environments, bundleIDs: apps)
            let grant = DuplicatePayment.Side(.grant(id: "web"))
            return wish.includes(DuplicatePayment("pro", since: .distantPast, first, grant))
        }

        #expect(wants(side("a")) && wants(side("a"), in: ["Production"], of: ["a", "b"]))
        #expect(!wants(side("a"), in: ["Sandbox"]) && !wants(side("a"), of: ["b"]))
        // Grants are of no app.
        #expect(wants(DuplicatePayment.Side(.grant(id: "play")), of: ["b"]))
    }
}
