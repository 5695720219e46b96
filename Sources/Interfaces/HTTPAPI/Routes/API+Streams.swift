import Hummingbird
import ServiceContract
import SubscriptionService
import Subscriptions

/// One subscription or purchase, and its events.
extension API {
    func show(_ kind: StreamKind, _ call: Call) async throws -> Response {
        let view = try await self.service.subscription(try self.question(kind, call))
        return .json { view.write(to: &$0) }
    }

    func events(of kind: StreamKind, _ call: Call) async throws -> Response {
        let evidence = try call.query.flag("evidence")
        if evidence { try self.authorizer.authorize(call.fields, for: .scope(.admin)) }
        let page = try await self.service.events(
            of: try call.query.stream(kind, id: call.arguments[0]), after: try call.query.text("after"),
            limit: try call.query.limit(), evidence: evidence)
        return .json(reserving: 4_096) { page.write(to: &$0) }
    }

    private func question(_ kind: StreamKind, _ call: Call) throws(Problem) -> SubscriptionQuery {
        SubscriptionQuery(
            stream: try call.query.stream(kind, id: call.arguments[0]), at: try call.query.moment("at"),
            knownAt: try call.query.moment("knownAt"),
            consistency: try call.query.word("consistency", as: Consistency.self) ?? .owner,
            atLeast: try call.atLeast())
    }
}

extension Call {
    /// The token of an earlier answer that this one may not be older than.
    func atLeast() throws(Problem) -> String? { try self.fields.atLeast?.bounded(as: "Perennial-At-Least") }
}
