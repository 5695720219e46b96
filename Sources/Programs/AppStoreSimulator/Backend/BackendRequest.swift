package import Subscriptions

/// One request of the publisher's backend to a node.
package struct BackendRequest: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// Posts the newest transaction of something sold.
        case post(originalTransactionID: String, restores: Bool)
        /// Registers the token with which they will buy.
        case register(token: String)
        case move(to: String)
        case grant(SimulatedGrant)
    }

    /// From 0, in the order of `due`.
    package let number: Int
    package let due: Moment
    /// In whose name it is made.
    package let customerID: String
    package let action: Action
    /// It contradicts what was said before, and the policy `keep` refuses it.
    package let isToBeRefused: Bool

    /// Whether it has a say in what a customer has, or in whose something sold is.
    func concerns(_ customer: String, _ streams: some Sequence<String>) -> Bool {
        switch self.action {
        case .post(let id, _): self.customerID == customer || streams.contains(id)
        case .move(let target): self.customerID == customer || target == customer
        case .grant, .register: self.customerID == customer
        }
    }
}
