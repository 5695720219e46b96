import EventLog
import Queries
package import ServiceContract
package import Subscriptions
import WireProtocol

/// Taking back what people have said.
extension SubscriptionService {
    /// So old an event may be.
    package static let undoLimit = Milliseconds.days(30)

    /// Takes back one event of a customer's history, with what the same request has said; durable when it returns. What it was about is then
    /// as it was before, whatever the policy. Of a move that is all that is still where it put it.
    /// - Parameters:
    ///   - event: `CustomerEvent.id`, of the history of either side.
    ///   - reason: for people.
    /// - Returns: of a move: what has changed since, and stays.
    /// - Throws: `.nothingToUndo`; `.tooManyGrants` or `.tooManyIdentifiers` where there is no room any more; `.olderNodes`.
    @discardableResult
    package func undo(
        _ event: String, of customer: CustomerID, actor: String?, reason: String?
    ) async throws(ServiceError) -> [NotUndone] {
        try await self.require(.undo)
        try self.refuseDeleted(customer)
        let end = try await self.end(of: customer)
        let view = try await self.customer(end, in: .production, atLeast: nil, withHistory: true)
        guard let found = view.history?.first(where: { $0.id == event }), self.now < found.at + Self.undoLimit else {
            throw .nothingToUndo
        }
        let undone = try await ServiceError.translating { try await self.customers.holdings.undo(found) }
        let reason = reason ?? "undo of \(event)"
        switch undone {
        case .links(let key, let undo):
            var bundle = self.bundleOfRequest
            let request = LinkRequest(end, origin: .backend, action: .undo(undo), actor: actor, reason: reason)
            bundle.link = request
            _ = try await self.record(Submission(key: key, bundle: bundle, evidence: nil))
            try await self.followLink(of: key, request)
        case .grant(let holder, let from, let to):
            try await self.restore(from, to, of: holder, actor: actor, reason: reason)
        case .registration(let key, var registration, let version):
            registration.actor = actor
            if registration.action == .registered, let holder = registration.customer,
                let identifier = registration.identifier.flatMap({ RegistrableIdentifier(key.kind, $0) })
            {
                try await self.checkRoom(for: [identifier], of: holder)
            }
            do throws(ServiceError) {
                try await self.submit(registration, key, at: version)
            } catch {
                throw error.code == .customerMoving ? .nothingToUndo : error
            }
        case .move(let source, let target):
            return try await self.takeBack(found, of: source, to: target, actor: actor, reason: reason)
        case nil: throw .nothingToUndo
        }
        return []
    }

    /// Where the customer has been moved, its grants are the other one's, under the id under which they were made.
    private func restore(
        _ from: Grant, _ to: Grant?, of holder: CustomerID, actor: String?, reason: String
    ) async throws(ServiceError) {
        var (from, to) = (from, to)
        let (end, record) = try await self.followed(holder)
        if end != holder {
            let origin = self.customers.holdings.hash(holder).half
            from.origin = from.origin ?? origin
            to?.origin = from.origin
        }
        try await self.settleArrivals(at: end, record)
        _ = try await self.submit(CustomerRequest(end, .restore(from: from, to: to), actor: actor, reason: reason))
    }
}
