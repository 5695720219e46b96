import Customers
import Hummingbird
import Reconciliation
import ServiceContract
import StrictJSON
import SubscriptionService
import Subscriptions

/// What people say of a customer: grants, attributes and identifiers.
extension API {
    func makeGrant(_ call: Call) async throws -> Response {
        let customer = try call.customer()
        return try await call.withBody { body in
            let posted = try PostedGrant(body)
            let isNew = try await self.make(posted, customer, call)
            return try await self.answer(posted.grant.id, customer, isNew ? .created : .ok)
        }
    }

    func putGrant(_ call: Call) async throws -> Response {
        let customer = try call.customer()
        return try await call.withBody { body in
            let posted = try PostedGrant(body, id: call.arguments[1])
            try await self.make(posted, customer, call, replaces: true)
            return try await self.answer(posted.grant.id, customer)
        }
    }

    func revokeGrant(_ call: Call) async throws -> Response {
        let customer = try call.customer()
        let id = call.arguments[1]
        try await self.service.change(
            CustomerRequest(customer, .revoke(grant: id), actor: self.actor(of: call)))
        return try await self.answer(id, customer)
    }

    func putCustomer(_ call: Call) async throws -> Response {
        let customer = try call.customer()
        let environment = try call.query.app().environment
        return try await call.withBody { body in
            let (posted, actor) = (try PostedCustomer(body), self.actor(of: call))
            try await self.service.register(posted.identifiers, for: customer, actor: actor) {
                () throws(ServiceError) in
                guard let attributes = posted.attributes else { return }
                try await self.service.change(CustomerRequest(customer, .set(attributes), actor: actor))
            }
            return try await self.answer(about: customer, in: environment)
        }
    }

    /// Takes away what leads to the customer by its registration.
    func release(_ kind: StreamKind, _ call: Call) async throws -> Response {
        let customer = try call.customer()
        let identifier = try RegistrableIdentifier(kind, posted: call.arguments[1])
        let environment = try call.query.app().environment
        try await self.service.release(identifier, of: customer, actor: self.actor(of: call))
        return try await self.answer(about: customer, in: environment)
    }

    private func actor(of call: Call) -> String? { self.authorizer.name(of: call.fields) }

    /// - Returns: whether it was not there already.
    @discardableResult
    private func make(
        _ posted: PostedGrant, _ customer: CustomerID, _ call: Call, replaces: Bool = false
    ) async throws -> Bool {
        try await self.service.change(
            CustomerRequest(
                customer, .grant(posted.grant, startsNow: posted.startsNow, replaces: replaces),
                actor: self.actor(of: call)))
    }

    /// The grant as it is recorded now.
    private func answer(
        _ id: String, _ customer: CustomerID, _ status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let (found, token) = try await self.service.grant(id, of: customer)
        guard let grant = found else {
            throw Problem(ServiceError(.unknownGrant, "newer grants of the customer have taken the place of this one"))
        }
        return .json(status, reserving: 512) { json in
            json.object { json in
                grant.writeMembers(to: &json)
                json.member("token", token)
            }
        }
    }
}
