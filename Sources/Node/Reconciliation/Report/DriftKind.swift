package import Subscriptions

/// In what a subscription differed from Apple's answer about it. The first kind that applies is counted.
package enum DriftKind: String, Hashable, Sendable, CaseIterable {
    /// Apple knows it, and we had never heard of it.
    case unknownSubscription
    /// Apple has revoked access: a refund, or a family that shares no more.
    case missedRevocation
    /// Apple has taken a refund back.
    case missedRefundReversal
    /// Another period, which ends later.
    case missedRenewal
    /// The same period ends later: Apple gave free days.
    case missedExtension
    /// The paid time ends earlier.
    case missedShortening
    /// Apple grants access that was denied here, without a new period.
    case missedReturn
    /// It has expired at Apple, and not here.
    case missedExpiry
    /// Grace or billing retry had begun or ended.
    case missedBillingTrouble
    /// Grace ends at another moment, which is still to come.
    case missedGraceDate
    /// Automatic renewal was turned on or off.
    case missedAutoRenewChange
    /// It is another product, or is to renew as one.
    case missedProductChange
    /// Date, reason or extent of a refund that changes nothing about access.
    case missedRefundDetail

    /// nil when both say the same of what matters to a customer.
    /// - Parameter now: the moment of both: what time alone has ended is no difference.
    package init?(from before: SubscriptionSnapshot?, to after: SubscriptionSnapshot?, at now: Moment) {
        guard let after else { return nil }
        guard let before else {
            self = .unknownSubscription
            return
        }
        guard
            let kind = Self(access: before, after) ?? Self(billing: before, after, at: now)
                ?? Self(details: before, after)
        else { return nil }
        self = kind
    }

    /// Who has access, and until when.
    private init?(access before: SubscriptionSnapshot, _ after: SubscriptionSnapshot) {
        if after.state == .revoked, before.state != .revoked {
            self = .missedRevocation
        } else if before.state == .revoked, after.state != .revoked,
            before.transactionID == after.transactionID
        {
            self = .missedRefundReversal
        } else if let later = after.expiresDate, later > before.expiresDate ?? .distantPast {
            let isSame = before.transactionID != nil && before.transactionID == after.transactionID
            self = isSame ? .missedExtension : .missedRenewal
        } else if after.expiresDate != before.expiresDate {
            self = .missedShortening
        } else if after.entitled, !before.entitled {
            self = .missedReturn
        } else if after.state == .expired, before.state != .expired {
            self = .missedExpiry
        } else {
            return nil
        }
    }

    private init?(billing before: SubscriptionSnapshot, _ after: SubscriptionSnapshot, at now: Moment) {
        if after.state != before.state {
            self = .missedBillingTrouble
        } else if before.graceDate(after: now) != after.graceDate(after: now) {
            self = .missedGraceDate
        } else {
            return nil
        }
    }

    private init?(details before: SubscriptionSnapshot, _ after: SubscriptionSnapshot) {
        if after.autoRenew != before.autoRenew {
            self = .missedAutoRenewChange
        } else if after.productID != before.productID || after.renewalProductID != before.renewalProductID {
            self = .missedProductChange
        } else if after.revocation != before.revocation {
            self = .missedRefundDetail
        } else {
            return nil
        }
    }
}

extension SubscriptionSnapshot {
    /// nil once it has passed.
    fileprivate func graceDate(after now: Moment) -> Moment? {
        self.gracePeriodExpiresDate.flatMap { $0 > now ? $0 : nil }
    }
}
