/// Asks whether the answers about customers are other ones now: of those to whom a stream leads, and of these, to whom it has led. A commit
/// that may change an answer leaves it in its outbox.
package struct CustomerReview: Hashable, Sendable {
    package var customers: [CustomerID]
    /// Identifiers that the stream carried before: their holders are asked about too.
    package var identifiers: [RegistrableIdentifier]

    package init(customers: [CustomerID] = [], identifiers: [RegistrableIdentifier] = []) {
        self.customers = customers
        self.identifiers = identifiers
    }
}
