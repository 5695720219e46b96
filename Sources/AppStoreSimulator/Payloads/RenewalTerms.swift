import Subscriptions

/// What will happen at the next renewal, and why it may not.
struct RenewalTerms: Hashable, Sendable {
    enum ExpirationIntent: Int64, Sendable {
        case customerCancelled = 1
        case billingError = 2
    }

    /// nil before the first purchase.
    var product: Product?
    var autoRenew = true
    /// nil while healthy.
    var expirationIntent: ExpirationIntent?
    /// nil while it is of no concern.
    var isInBillingRetryPeriod: Bool?
    var gracePeriodExpiresDate: Moment?
    var nextOffer: Offer?
    /// Start of the present stretch of service.
    var recentStart: Moment?

    /// A new period has been paid for: all is well again.
    mutating func begin(_ product: Product, after offer: Offer?, stretch: Moment) {
        self.product = product
        self.expirationIntent = nil
        self.isInBillingRetryPeriod = nil
        self.gracePeriodExpiresDate = nil
        self.nextOffer = offer?.next
        self.recentStart = stretch
    }
}

/// The terms with what a renewal payload adds to them, as of its signing.
struct RenewalSummary: Hashable, Sendable {
    let terms: RenewalTerms
    /// The newest.
    let transaction: StoreTransaction
    /// Of lapsed customers.
    let winBackOfferIDs: [String]?
}
