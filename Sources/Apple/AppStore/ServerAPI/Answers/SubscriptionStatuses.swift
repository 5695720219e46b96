package import Subscriptions

/// Every subscription of a customer in an app (Apple's StatusResponse). TLS alone vouches for it: signed are only the
/// two strings of each item.
package struct SubscriptionStatuses: Hashable, Sendable {
    package var environment: AppStoreEnvironment?
    package var bundleID: String?
    /// nil in Sandbox.
    package var appAppleID: Int64?
    /// Of all groups.
    package var items: [Item] = []

    package init() {}

    package struct Item: Hashable, Sendable {
        package var groupIdentifier: String?
        package var originalTransactionID: String
        package var status: AppleStatus
        package var signedTransactionInfo: SignedString?
        package var signedRenewalInfo: SignedString?

        package init(
            groupIdentifier: String? = nil, originalTransactionID: String, status: AppleStatus,
            signedTransactionInfo: SignedString? = nil, signedRenewalInfo: SignedString? = nil
        ) {
            self.groupIdentifier = groupIdentifier
            self.originalTransactionID = originalTransactionID
            self.status = status
            self.signedTransactionInfo = signedTransactionInfo
            self.signedRenewalInfo = signedRenewalInfo
        }
    }
}
