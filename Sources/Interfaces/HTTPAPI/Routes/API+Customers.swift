import Hummingbird
import Jobs
import Queries
import Reconciliation
import ServiceContract
import SubscriptionService
import Subscriptions

/// Customers by the publisher's own id.
extension API {
    func customer(_ call: Call) async throws -> Response {
        let view = try await self.view(call)
        // Somebody may want back what leads nowhere any more.
        guard view.isKnown || view.history?.isEmpty == false else {
            throw Problem(ServiceError(.unknownCustomer, "nothing leads to a customer of this id"))
        }
        return .json(reserving: 1_024) { view.write(to: &$0) }
    }

    func customers(_ call: Call) async throws -> Response {
        let app = try call.query.app()
        let page = try await self.service.list(
            CustomerFilter(
                environment: app.environment, bundleID: app.bundleID,
                state: try call.query.word("state", as: LifecycleState.self), productID: try call.query.text("product"),
                expiresBefore: try call.query.moment("expiresBefore"),
                expiresFrom: try call.query.moment("expiresFrom"),
                hasConflicts: try call.query.flag("conflicts"), isUnclaimed: try call.query.flag("unclaimed"),
                isPaidTwice: try call.query.flag("duplicates")),
            after: try call.query.text("after"), limit: try call.query.limit())
        return .json(reserving: 4_096) { page.write(to: &$0) }
    }

    /// A customer that nothing leads to is a new one.
    func entitlements(_ call: Call) async throws -> Response {
        let (customer, environment) = (try call.customer(), try call.query.app().environment)
        let entitlements =
            if let past = try call.query.past() {
                try await self.service.customer(customer, in: environment, asOf: past, atLeast: try call.atLeast())
                    .answer
            } else {
                try await self.service.entitlements(of: customer, in: environment, atLeast: try call.atLeast())
            }
        return .json(reserving: 1_024) { entitlements.write(to: &$0) }
    }

    func link(_ kind: StreamKind, _ call: Call) async throws -> Response {
        let customer = try call.customer()
        let stream = try call.query.stream(kind, id: call.arguments[1])
        let actor = self.authorizer.name(of: call.fields)
        return try await call.withOptionalBody { body in
            let reason = try PostedReason(body).reason
            return try await self.link(
                stream, LinkRequest(customer, origin: .backend, actor: actor, reason: reason), call)
        }
    }

    func unlink(_ kind: StreamKind, _ call: Call) async throws -> Response {
        let customer = try call.customer()
        let stream = try call.query.stream(kind, id: call.arguments[1])
        return try await self.link(
            stream,
            LinkRequest(customer, origin: .backend, action: .unlink, actor: self.authorizer.name(of: call.fields)), call
        )
    }

    private func link(_ stream: StreamReference, _ request: LinkRequest, _ call: Call) async throws -> Response {
        if try call.query.flag("preview") {
            let preview = try await self.service.preview(stream, request)
            return .json(reserving: 512) { preview.write(to: &$0) }
        }
        try await self.service.link(stream, request)
        return try await self.answer(about: request.customer, in: stream.environment)
    }

    /// Answers once nothing shows the customer any more; the job takes care of what may still come.
    func deleteCustomer(_ call: Call) async throws -> Response {
        let job = try await self.service.delete(try call.customer(), actor: self.authorizer.name(of: call.fields))
        return .json(.accepted) { self.deletion(job).write(to: &$0) }
    }

    func deletion(_ job: Job) -> DeletionAnswer {
        DeletionAnswer(job, backupsKeptFor: self.backupsKeptFor, at: self.service.now)
    }

    func dismissConflict(_ call: Call) async throws -> Response {
        let customer = try call.customer()
        let stream = try call.query.stream(.subscription, id: call.arguments[1])
        try await self.service.dismiss(stream, customer, actor: self.authorizer.name(of: call.fields))
        return try await self.answer(about: customer, in: stream.environment)
    }

    func moveCustomer(_ call: Call) async throws -> Response {
        let customer = try call.customer()
        let environment = try call.query.app().environment
        return try await call.withBody { body in
            let posted = try PostedCustomerMove(body)
            if try call.query.flag("preview") {
                let preview = try await self.service.preview(moving: customer, to: posted.target)
                return .json(reserving: 512) { preview.write(to: &$0) }
            }
            let target = try await self.service.move(
                customer, to: posted.target, actor: self.authorizer.name(of: call.fields), reason: posted.reason)
            return try await self.answer(about: target, in: environment)
        }
    }

    func launch(_ call: Call) async throws -> Response {
        let customer = try call.customer()
        let environment = try call.query.app().environment
        let actor = self.authorizer.name(of: call.fields)
        return try await call.withBody { body in
            let posted = try PostedLaunch(body)
            let answer = try await self.service.launch(
                Launch(
                    customer, in: environment, transactions: posted.transactions, renewalInfos: posted.renewalInfos,
                    appTransaction: posted.appTransaction, restores: posted.restores, actor: actor))
            return .json(reserving: 2_048) { answer.write(to: &$0) }
        }
    }

    func undo(_ call: Call) async throws -> Response {
        let customer = try call.customer()
        let environment = try call.query.app().environment
        return try await call.withBody { body in
            let posted = try PostedUndo(body)
            let changed = try await self.service.undo(
                posted.event, of: customer, actor: self.authorizer.name(of: call.fields), reason: posted.reason)
            return try await self.answer(about: customer, in: environment, notUndone: changed)
        }
    }

    private func view(_ call: Call) async throws -> CustomerView {
        try await self.service.customer(
            try call.customer(), in: try call.query.app().environment, asOf: try call.query.past(),
            atLeast: try call.atLeast(), withHistory: true)
    }

    /// Answers a change of a customer with the one of whom it was recorded: where the customer has been moved, the other one.
    /// - Parameter notUndone: of an answer to an undo.
    func answer(
        about customer: CustomerID, in environment: AppStoreEnvironment, notUndone: [NotUndone]? = nil
    ) async throws -> Response {
        let view = try await self.service.customer(
            self.service.end(of: customer), in: environment, atLeast: nil)
        return .json(reserving: 1_024) { view.write(to: &$0, notUndone: notUndone) }
    }
}

extension Query {
    /// The moment of the past that is asked about (`at`, `knownAt`); nil for the present.
    fileprivate func past() throws(Problem) -> PastMoment? {
        PastMoment(at: try self.moment("at"), knownAt: try self.moment("knownAt"))
    }
}

extension Call {
    /// The customer that the path names first.
    func customer() throws(Problem) -> CustomerID { try CustomerID(posted: self.arguments[0]) }
}
