package import Customers
package import EventLog
package import Subscriptions
package import WireProtocol

/// Makes what subscribers answer questions about customers from.
package struct CustomerImages: Sendable {
    private let rules: DerivationRules
    private let hashing: IdentifierKey

    package init(rules: DerivationRules, hashing: IdentifierKey) {
        self.rules = rules
        self.hashing = hashing
    }

    /// Of a subscription or a purchase; nil for a stream of another kind.
    /// - Parameter moment: from which on it is to answer.
    package func image(of state: StreamState, _ version: StreamVersion, from moment: Moment) -> CustomerImage? {
        guard state.key.kind.givesAccess else { return nil }
        let held = Outlook(state, rules: self.rules).map { HeldStream($0, from: moment, countsInProduction: false) }
        return CustomerImage(
            version: version, .held(LeadImage(state.leads, hash: self.hashing.hash), held?.phases ?? []))
    }

    /// Of what people at the publisher's have said.
    package func image(of kept: PublisherState, _ version: StreamVersion) -> CustomerImage {
        let hash = { (customer: CustomerID) in self.hashing.hash(.customer, customer.rawValue) }
        return switch kept {
        case .customer(let state): CustomerImage(version: version, .granted(GrantedImage(state, hash: hash)))
        case .identifier(let state): CustomerImage(version: version, .holder(state.holder.map(hash)))
        }
    }
}
