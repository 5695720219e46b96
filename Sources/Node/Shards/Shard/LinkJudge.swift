package import Customers
package import EventLog
package import ServiceContract
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
    package func resolution(of state: StreamState, _ directory: CustomerDirectory) -> Resolution {
        self.stream(state, directory).resolution
    }

    /// What becomes of a registration that contradicts what holds.
    package var transferOfIdentifiers: TransferPolicy { self.policies.transfer }

    package func tokens(of app: BundleID) -> TokenPolicy { self.policies.rules(of: app).tokens }

    package func hash(_ customer: CustomerID) -> IdentifierHash { self.hashing.hash(.customer, customer.rawValue) }

    /// - Parameters:
    ///   - state: with the facts that came with the request.
    ///   - moment: now.
    package func decide(
        _ request: LinkRequest, _ state: StreamState, _ directory: CustomerDirectory, at moment: Moment,
        rules: DerivationRules
    ) -> LinkDecision {
        let stream = self.stream(state, directory)
        var request = request
        // What is said under the id of a customer who has been moved is said of the other one.
        if let end = directory.end(of: self.hash(request.customer)) { request.customer = end }
        switch request.action {
        case .unlink: return LinkDecision(unlinking: request, stream)
        case .dismiss: return LinkDecision(dismissing: request, stream)
        case .undo(let undo): return LinkDecision(undoing: request, undo, stream)
        case .link:
            // What goes on in its place and says of no customer itself moves with it.
            let all = [state] + directory.successors(of: state).filter { self.inherits($0, directory) }
            return LinkDecision(
                linking: request, stream, isActive: all.contains { $0.isActive(at: moment, rules: rules) },
                policy: self.policies.rules(of: state.key.bundleID).transfer)
        }
    }

    /// Nobody has said whose the stream is: it leads nowhere, or by its token alone to the customer whose id that is.
    package func isUnclaimed(_ state: StreamState, _ directory: CustomerDirectory) -> Bool {
        let resolution = self.resolution(of: state, directory)
        guard resolution.sharers.isEmpty else { return false }
        guard let holder = resolution.holder else { return true }
        guard holder.reason == .token, !holder.isInherited, let token = state.leads.token?.value else { return false }
        return directory.target(of: self.hashing.hash(.token(token))) == nil
    }

    /// Whether a stream leads where its predecessor does.
    package func inherits(_ state: StreamState, _ directory: CustomerDirectory) -> Bool {
        self.resolution(of: state, directory).holder?.isInherited ?? false
    }

    private func stream(_ state: StreamState, _ directory: CustomerDirectory) -> LinkedStream {
        LinkedStream(
            state.leads, newest: state.facts.newestPlace,
            in: DirectoryOfStream(directory, of: state, self.hashing),
            tokens: self.policies.rules(of: state.key.bundleID).tokens, hash: self.hashing.hash)
    }
}

extension StreamState {
    /// It entitles, or is in billing retry: then its owner is still its owner.
    package func isActive(at moment: Moment, rules: DerivationRules) -> Bool {
        self.snapshot(at: moment, rules: rules).map { $0.entitled || $0.state == .retry } ?? false
    }
}

extension LinkRecord {
    /// What an event with this record has changed.
    package var change: Change {
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
    package init(_ refusal: LinkRefusal) {
        switch refusal {
        case .linkedElsewhere:
            self.init(
                .linkedElsewhere,
                "the purchase belongs to another customer, and customers.transfer does not let this request move it")
        case .nothingToUndo: self = .nothingToUndo
        case .tooManySharers:
            self.init(
                .tooManySharers,
                "\(StreamLeads.sharerLimit) customers share the purchase already: unlink one of them first")
        }
    }
}
