/// Gives one subscriber free days. Cannot be undone.
package struct ExtensionRequest: Hashable, Sendable {
    /// 1…90.
    package var days: Int
    package var reason: ExtensionReason
    /// 1…128 characters, for recognising the answer.
    package var requestIdentifier: String

    package init(days: Int, reason: ExtensionReason, requestIdentifier: String) {
        self.days = days
        self.reason = reason
        self.requestIdentifier = requestIdentifier
    }
}

/// Gives all eligible subscribers of a product free days. Cannot be undone; the same identifier again changes nothing.
package struct MassExtensionRequest: Hashable, Sendable {
    /// A UUID.
    package var requestIdentifier: String
    package var productID: String
    /// 1…90.
    package var days: Int
    package var reason: ExtensionReason
    /// ISO 3166-1 alpha-3; empty for all storefronts.
    package var storefrontCountryCodes: [String]

    package init(
        requestIdentifier: String, productID: String, days: Int, reason: ExtensionReason,
        storefrontCountryCodes: [String] = []
    ) {
        self.requestIdentifier = requestIdentifier
        self.productID = productID
        self.days = days
        self.reason = reason
        self.storefrontCountryCodes = storefrontCountryCodes
    }
}

/// Apple's `extendReasonCode`.
package enum ExtensionReason: Int, CaseIterable, Sendable {
    case undeclared = 0
    case customerSatisfaction = 1
    case other = 2
    case serviceIssue = 3
}
