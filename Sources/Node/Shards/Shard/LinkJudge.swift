package import Customers
package import EventLog
import ServiceContract
package import Subscriptions

/// Decides links, by the policy of each app and the store's key. It does no I/O.
package struct LinkJudge: Sendable {
    private let policies: CustomerPolicies
    /// The store's.
    let hashing: IdentifierKey

    package init(_ policies: CustomerPolicies, _ hashing: IdentifierKey) {
        self.policies = policies
        self.hashing = hashing
    }

    /// To whom a stream leads.
    package func resolution(of state: StreamState) -> Resolution {
        self.stream(state).resolution
    }

    package func hash(_ customer: CustomerID) -> IdentifierHash { self.hashing.hash(.customer, customer.rawValue) }

    /// - Parameters:
    ///   - state: with the facts that came with the request.
    ///   - moment: now.
    func decide(
        _ request: LinkRequest, _ state: StreamState, at moment: Moment, rules: DerivationRules
    ) -> LinkDecision {
        let stream = self.stream(state)
        guard !request.unlinks else { return LinkDecision(unlinking: request, stream) }
        let snapshot = state.snapshot(at: moment, rules: rules)
        return LinkDecision(
            linking: request, stream, isActive: snapshot.map { $0.entitled || $0.state == .retry } ?? false,
            policy: self.policies.rules(of: state.key.bundleID).transfer)
    }

    private func stream(_ state: StreamState) -> LinkedStream {
        LinkedStream(
            state.leads, newest: state.facts.newestPlace, in: UnregisteredIdentifiers(),
            tokens: self.policies.rules(of: state.key.bundleID).tokens, hash: self.hashing.hash)
    }
}

/// The rows of a store in which no customer has registered an identifier or been moved.
private struct UnregisteredIdentifiers: IdentifierRows {
    func holder(ofToken token: IdentifierHash) -> IdentifierHash? { nil }
    func holder(ofAppTransaction id: IdentifierHash) -> IdentifierHash? { nil }
    func successor(of customer: IdentifierHash) -> IdentifierHash? { nil }
    func leads(of predecessor: OriginalTransactionID) -> LeadImage? { nil }
}

extension LinkRecord {
    /// What an event with this record has changed.
    var change: Change {
        switch self.action {
        case .linked: self.customer == nil ? .unlinked : .linked
        case .shared: .linked
        case .unlinked, .unshared: .unlinked
        case .conflicted: .linkConflict
        case .dismissed: .linkConflictClosed
        }
    }
}

extension ServiceError {
    /// Why a link was not made.
    init(_ refusal: LinkRefusal) {
        switch refusal {
        case .linkedElsewhere:
            self.init(
                .linkedElsewhere,
                "the purchase belongs to another customer, and customers.transfer does not let this request move it")
        case .tooManySharers:
            self.init(
                .tooManySharers,
                "\(StreamLeads.sharerLimit) customers share the purchase already: unlink one of them first")
        }
    }
}
