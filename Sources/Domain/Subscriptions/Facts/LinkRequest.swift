/// Somebody says that a stream is a customer's, or is not any more.
package struct LinkRequest: Hashable, Sendable {
    package enum Origin: Int, Sendable, CaseIterable {
        /// A backend, by itself.
        case backend = 1
        /// Beside facts that a device had: two accounts on one device have the same ones.
        case post = 2
        /// The same, after the user has pressed "restore".
        case restore = 3
    }

    package var customer: CustomerID
    package var origin: Origin
    /// The customer is to have the stream no more.
    package var unlinks: Bool
    /// The name of the API token that asks.
    package var actor: String?
    /// Why, for people.
    package var reason: String?

    package init(
        _ customer: CustomerID, origin: Origin, unlinks: Bool = false, actor: String? = nil, reason: String? = nil
    ) {
        self.customer = customer
        self.origin = origin
        self.unlinks = unlinks
        self.actor = actor
        self.reason = reason
    }
}
