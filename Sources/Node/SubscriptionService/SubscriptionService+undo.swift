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
    /// as it was before, whatever the policy.
    /// - Parameters:
    ///   - event: `CustomerEvent.id`, of the history of either side.
    ///   - reason: for people.
    /// - Throws: `.nothingToUndo`; `.tooManyGrants` where a grant has no room any more; `.olderNodes`.
    package func undo(
        _ event: String, of customer: CustomerID, actor: String?, reason: String?
    ) async throws(ServiceError) {
        try await self.require(.reevaluations)
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
            bundle.link = LinkRequest(end, origin: .backend, action: .undo, actor: actor, reason: reason, undo: undo)
            _ = try await self.record(Submission(key: key, bundle: bundle, evidence: nil))
        case .grant(let holder, let from, let to):
            _ = try await self.submit(
                CustomerRequest(holder, .restore(from: from, to: to), actor: actor, reason: reason))
        case .registration(let key, var registration, let version):
            registration.actor = actor
            do throws(ServiceError) {
                try await self.submit(registration, key, at: version)
            } catch {
                throw error.code == .customerMoving ? .nothingToUndo : error
            }
        case nil: throw .nothingToUndo
        }
    }
}
