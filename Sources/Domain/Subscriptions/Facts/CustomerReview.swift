/// Asks whether the answers about customers are other ones now: of those to whom a stream leads, and of these, to whom it has led. A commit
/// that may change an answer leaves it in its outbox.
package struct CustomerReview: Hashable, Sendable {
    package var customers: [CustomerID]
    /// What the stream carried before; whoever has registered it is meant.
    package var identifiers: [RegistrableIdentifier]

    package init(customers: [CustomerID] = [], identifiers: [RegistrableIdentifier] = []) {
        self.customers = customers
        self.identifiers = identifiers
    }
}
