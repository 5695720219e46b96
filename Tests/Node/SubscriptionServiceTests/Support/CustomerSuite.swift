import Customers
import EventLog
import ServiceContract
import SubscriptionService
import Subscriptions

/// Tests of what people say of one customer.
protocol CustomerSuite {}

extension CustomerSuite {
    static var customer: CustomerID { CustomerID("u-1")! }

    func node(_ store: any EventStore) throws -> Node {
        _ = try store.raiseFeatureLevel(to: .supported)
        return try Node(store: store)
    }

    static func grant(
        _ id: String, until end: Moment? = nil, replaces: Bool = false, entitlement: String = "pro"
    ) -> CustomerRequest {
        let grant = Grant(
            id: id, entitlement: entitlement, reason: "r", source: "web", from: Node.start, until: end, actor: "shop")
        return CustomerRequest(
            Self.customer, .grant(grant, startsNow: true, replaces: replaces), actor: "shop")
    }

    static func view(_ service: SubscriptionService) async throws -> CustomerView {
        try await service.customer(Self.customer, in: .production, atLeast: nil)
    }

    static func isEntitled(_ service: SubscriptionService) async throws -> Bool {
        try await Self.view(service).entitlements.contains { $0.entitled && $0.entitlement == "pro" }
    }

    /// nil where it was done.
    static func refusal(
        of request: CustomerRequest, _ service: SubscriptionService
    ) async -> ServiceError.Code? {
        do {
            try await service.change(request)
            return nil
        } catch {
            return error.code
        }
    }

    /// Why something is refused; nil where it is done.
    static func code(of body: () async throws(ServiceError) -> Void) async -> ServiceError.Code? {
        do throws(ServiceError) {
            try await body()
            return nil
        } catch {
            return error.code
        }
    }
}
