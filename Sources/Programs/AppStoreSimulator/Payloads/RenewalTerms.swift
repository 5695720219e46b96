package import Subscriptions

/// What will happen at the next renewal, and why it may not.
package struct RenewalTerms: Hashable, Sendable {
    /// Apple's `expirationIntent`.
    package enum ExpirationIntent: Int64, Sendable, CaseIterable {
        case customerCancelled = 1
        case billingError = 2
        case priceIncreaseNotAccepted = 3
        case productUnavailable = 4
        case other = 5
    }

    /// Apple's `priceIncreaseStatus`.
    package enum PriceIncrease: Int64, Sendable {
        case pending = 0
        case accepted = 1
    }

    /// nil before the first purchase.
    package var product: Product?
    package var autoRenew = true
    /// nil while healthy.
    package var expirationIntent: ExpirationIntent?
    /// nil while it is of no concern.
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Moment?
    package var priceIncrease: PriceIncrease?
    /// Milliunits: what this customer pays from the next renewal on, when it is not the product's price.
    package var raisedPrice: Int64?
    package var nextOffer: Offer?
    /// Whether another commitment follows the present one; nil without commitment.
    package var commitmentAutoRenew: Bool?
    /// Start of the present stretch of service.
    package var recentStart: Moment?

    package init() {}
}

/// The terms with what a renewal payload adds to them, as of its signing.
package struct RenewalSummary: Hashable, Sendable {
    let terms: RenewalTerms
    /// The newest.
    let transaction: StoreTransaction
    /// Of lapsed customers.
    let winBackOfferIDs: [String]?

    package init(terms: RenewalTerms, transaction: StoreTransaction, winBackOfferIDs: [String]?) {
        self.terms = terms
        self.transaction = transaction
        self.winBackOfferIDs = winBackOfferIDs
    }
}
