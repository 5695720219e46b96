/// The five states of an auto-renewable subscription, and the two of a purchase.
package enum LifecycleState: String, Sendable, Hashable, CaseIterable {
    case subscribed, grace, retry, expired, revoked
    /// Of one-time purchases and non-renewing subscriptions; these may be `revoked` as well.
    case owned
}

/// What is true of one subscription or purchase at one moment. Every field but the identity is nil where Apple has not
/// said.
package struct SubscriptionSnapshot: Hashable, Sendable {
    package var key: StreamKey
    package var state: LifecycleState
    package var entitled: Bool
    /// nil when not entitled, and for a purchase without end.
    package var validUntil: Moment?
    /// Past the paid period, within the leeway for Apple's renewal to arrive.
    package var awaitingRenewal = false
    /// Part of what the answer rests on is not known yet; Apple has to be asked.
    package var incomplete = false

    package var productID: String?
    package var productType: String?
    package var subscriptionGroupIdentifier: String?
    package var transactionID: TransactionID?
    package var purchaseDate: Moment?
    package var originalPurchaseDate: Moment?
    package var expiresDate: Moment?
    package var gracePeriodExpiresDate: Moment?
    package var recentSubscriptionStartDate: Moment?
    /// Apple's `inAppOwnershipType`.
    package var ownership: String?
    /// nil without renewal info, which means "may renew".
    package var autoRenew: Bool?
    package var renewalProductID: String?
    package var renewalDate: Moment?
    /// Milliunits of `currency`.
    package var renewalPrice: Int64?
    package var currency: String?
    package var expirationIntent: ExpirationIntent?
    /// Apple's `priceIncreaseStatus`: 0 pending, 1 accepted.
    package var priceIncrease: Int64?
    package var offer: Offer?
    package var nextOffer: Offer?
    package var revocation: Revocation?
    package var appAccountToken: String?
    package var appTransactionID: String?
    package var storefront: String?
    package var customerIDs: [String] = []
    package var commitment: Commitment?
    package var eligibleWinBackOfferIDs: [String]?
    package var supersededBy: OriginalTransactionID?
    /// The newest transaction was replaced by an upgrade whose own transaction is not known.
    package var isUpgraded = false

    package struct Offer: Hashable, Sendable {
        package var type: OfferType
        package var id: String?
        package var discount: String?

        package init(type: OfferType, id: String?, discount: String?) {
            self.type = type
            self.id = id
            self.discount = discount
        }
    }

    package typealias Revocation = TransactionInfo.Revocation

    /// The month of a yearly commitment.
    package struct Commitment: Hashable, Sendable {
        package var billingPeriodNumber: Int64?
        package var totalBillingPeriods: Int64?
        package var expiresDate: Moment?
        package var autoRenew: Bool?

        package init(
            billingPeriodNumber: Int64?, totalBillingPeriods: Int64?, expiresDate: Moment?, autoRenew: Bool?
        ) {
            self.billingPeriodNumber = billingPeriodNumber
            self.totalBillingPeriods = totalBillingPeriods
            self.expiresDate = expiresDate
            self.autoRenew = autoRenew
        }
    }

    package init(key: StreamKey, state: LifecycleState, entitled: Bool, validUntil: Moment?) {
        self.key = key
        self.state = state
        self.entitled = entitled
        self.validUntil = validUntil
    }
}

extension SubscriptionSnapshot {
    /// It is used up, by the app alone: it never gives access, whatever the catalog says.
    package var isConsumable: Bool { self.productType == consumableType }
}
