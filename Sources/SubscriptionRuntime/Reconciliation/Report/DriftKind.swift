package import Subscriptions

/// In what a subscription differed from Apple's answer about it.
package enum DriftKind: String, Hashable, Sendable, CaseIterable {
    /// Apple knows it, and we had never heard of it.
    case unknownSubscription
    case missedRenewal
    case missedRevocation
    /// Apple grants access that was denied here, without a new period.
    case missedReturn
    case missedExpiry
    /// Grace or billing retry had begun or ended.
    case missedBillingTrouble
    case missedAutoRenewChange
    case missedProductChange
    case other

    /// nil when both say the same of what matters to a customer.
    package init?(from before: SubscriptionSnapshot?, to after: SubscriptionSnapshot?) {
        guard let after else { return nil }
        guard let before else {
            self = .unknownSubscription
            return
        }
        if after.state == .revoked, before.state != .revoked {
            self = .missedRevocation
        } else if let later = after.expiresDate, later > before.expiresDate ?? .distantPast {
            self = .missedRenewal
        } else if after.entitled, !before.entitled {
            self = .missedReturn
        } else if after.state == .expired, before.state != .expired {
            self = .missedExpiry
        } else if after.state != before.state {
            self = .missedBillingTrouble
        } else if after.autoRenew != before.autoRenew {
            self = .missedAutoRenewChange
        } else if after.productID != before.productID || after.renewalProductID != before.renewalProductID {
            self = .missedProductChange
        } else if after.expiresDate != before.expiresDate || after.revocation != before.revocation
            || after.gracePeriodExpiresDate != before.gracePeriodExpiresDate
        {
            self = .other
        } else {
            return nil
        }
    }
}
