package import Subscriptions

/// What an identifier that somebody has at hand leads to, of whatever kind it is.
package struct Finding: Hashable, Sendable {
    /// What the identifier is to a stream.
    package enum Role: String, Hashable, Sendable, CaseIterable {
        case originalTransactionID = "originalTransactionId"
        /// A payload of the stream carries it, or has carried it.
        case appAccountToken
        /// The same.
        case appTransactionID = "appTransactionId"
        /// A link names the customer, or has named it.
        case customerID = "customerId"
    }

    package struct Stream: Hashable, Sendable {
        package var key: StreamKey
        /// In the order of `Role.allCases`.
        package var roles: [Role]

        package init(key: StreamKey, roles: [Role]) {
            self.key = key
            self.roles = roles
        }
    }

    /// Subscriptions and purchases, in key order.
    package var streams: [Stream]
    /// The customer of this id, or else the one that has registered it; nil where nothing names one.
    package var customer: CustomerID?

    package init(streams: [Stream], customer: CustomerID?) {
        self.streams = streams
        self.customer = customer
    }
}
