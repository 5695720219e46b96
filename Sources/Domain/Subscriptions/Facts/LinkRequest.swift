/// Somebody says that a stream is a customer's, or is not any more.
package struct LinkRequest: Hashable, Sendable {
    package enum Origin: Int, Sendable, CaseIterable {
        /// A backend, by itself.
        case backend = 1
        /// Beside facts that a device had: two accounts on one device have the same ones.
        case post = 2
        /// The same, after the user has pressed "restore".
        case restore = 3
        /// Beside all that a device had at a launch: what is another customer's stays so, and waits for nobody.
        case launch = 4
    }

    package enum Action: Hashable, Sendable {
        case link
        /// The customer is to have the stream no more.
        case unlink
        /// The customer's link that was refused does not wait for a person any more.
        case dismiss
        /// The stream's links are to be as they were before something that people have said.
        case undo(LinkUndo)
    }

    package var customer: CustomerID
    package var origin: Origin
    package var action: Action
    /// The name of the API token that asks.
    package var actor: String?
    /// Why, for people.
    package var reason: String?

    package init(
        _ customer: CustomerID, origin: Origin, action: Action = .link, actor: String? = nil, reason: String? = nil
    ) {
        self.customer = customer
        self.origin = origin
        self.action = action
        self.actor = actor
        self.reason = reason
    }
}
