/// What Apple signed about the next renewal (JWSRenewalInfoDecodedPayload). It names no bundle: it is bound to one by
/// what it arrived with. `advancedCommerceInfo` stays in the evidence alone.
package struct RenewalInfo: Hashable, Sendable {
    private var fields: Shared<Fields>

    package init(
        originalTransactionID: OriginalTransactionID, environment: AppStoreEnvironment, signedDate: Moment,
        digest: PayloadDigest
    ) {
        self.fields = Shared(
            Fields(
                originalTransactionID: originalTransactionID, environment: environment, signedDate: signedDate,
                digest: digest))
    }

    /// All fields at once: whoever changes several of them copies a shared payload only once.
    package var unshared: Fields {
        _read { yield self.fields.value }
        _modify { yield &self.fields.value }
    }

    package var originalTransactionID: OriginalTransactionID {
        get { self.fields.value.originalTransactionID }
        set { self.fields.value.originalTransactionID = newValue }
    }
    package var environment: AppStoreEnvironment {
        get { self.fields.value.environment }
        set { self.fields.value.environment = newValue }
    }
    package var signedDate: Moment {
        get { self.fields.value.signedDate }
        set { self.fields.value.signedDate = newValue }
    }
    /// SHA-256 of the payload bytes as signed.
    package var digest: PayloadDigest {
        get { self.fields.value.digest }
        set { self.fields.value.digest = newValue }
    }

    package var productID: String? {
        get { self.fields.value.productID }
        set { self.fields.value.productID = newValue }
    }
    package var autoRenewProductID: String? {
        get { self.fields.value.autoRenewProductID }
        set { self.fields.value.autoRenewProductID = newValue }
    }
    /// Apple's `autoRenewStatus`: 0 off, 1 on.
    package var autoRenewStatus: Int64? {
        get { self.fields.value.autoRenewStatus }
        set { self.fields.value.autoRenewStatus = newValue }
    }
    package var expirationIntent: ExpirationIntent? {
        get { self.fields.value.expirationIntent }
        set { self.fields.value.expirationIntent = newValue }
    }
    package var isInBillingRetryPeriod: Bool? {
        get { self.fields.value.isInBillingRetryPeriod }
        set { self.fields.value.isInBillingRetryPeriod = newValue }
    }
    package var gracePeriodExpiresDate: Moment? {
        get { self.fields.value.gracePeriodExpiresDate }
        set { self.fields.value.gracePeriodExpiresDate = newValue }
    }
    /// 0 no answer yet, 1 consented or informed.
    package var priceIncreaseStatus: Int64? {
        get { self.fields.value.priceIncreaseStatus }
        set { self.fields.value.priceIncreaseStatus = newValue }
    }
    package var offerType: OfferType? {
        get { self.fields.value.offerType }
        set { self.fields.value.offerType = newValue }
    }
    package var offerIdentifier: String? {
        get { self.fields.value.offerIdentifier }
        set { self.fields.value.offerIdentifier = newValue }
    }
    package var offerDiscountType: String? {
        get { self.fields.value.offerDiscountType }
        set { self.fields.value.offerDiscountType = newValue }
    }
    package var offerPeriod: String? {
        get { self.fields.value.offerPeriod }
        set { self.fields.value.offerPeriod = newValue }
    }
    /// Best first.
    package var eligibleWinBackOfferIDs: [String]? {
        get { self.fields.value.eligibleWinBackOfferIDs }
        set { self.fields.value.eligibleWinBackOfferIDs = newValue }
    }
    package var renewalDate: Moment? {
        get { self.fields.value.renewalDate }
        set { self.fields.value.renewalDate = newValue }
    }
    /// Milliunits of `currency`.
    package var renewalPrice: Int64? {
        get { self.fields.value.renewalPrice }
        set { self.fields.value.renewalPrice = newValue }
    }
    package var currency: String? {
        get { self.fields.value.currency }
        set { self.fields.value.currency = newValue }
    }
    package var recentSubscriptionStartDate: Moment? {
        get { self.fields.value.recentSubscriptionStartDate }
        set { self.fields.value.recentSubscriptionStartDate = newValue }
    }
    package var appAccountToken: String? {
        get { self.fields.value.appAccountToken }
        set { self.fields.value.appAccountToken = newValue }
    }
    package var appTransactionID: String? {
        get { self.fields.value.appTransactionID }
        set { self.fields.value.appTransactionID = newValue }
    }
    package var renewalBillingPlanType: String? {
        get { self.fields.value.renewalBillingPlanType }
        set { self.fields.value.renewalBillingPlanType = newValue }
    }
    package var commitment: Commitment? {
        get { self.fields.value.commitment }
        set { self.fields.value.commitment = newValue }
    }

    /// What the properties of the same names stand for.
    package struct Fields: Hashable, Sendable {
        package var originalTransactionID: OriginalTransactionID
        package var environment: AppStoreEnvironment
        package var signedDate: Moment
        package var digest: PayloadDigest
        package var productID: String?
        package var autoRenewProductID: String?
        package var autoRenewStatus: Int64?
        package var expirationIntent: ExpirationIntent?
        package var isInBillingRetryPeriod: Bool?
        package var gracePeriodExpiresDate: Moment?
        package var priceIncreaseStatus: Int64?
        package var offerType: OfferType?
        package var offerIdentifier: String?
        package var offerDiscountType: String?
        package var offerPeriod: String?
        package var eligibleWinBackOfferIDs: [String]?
        package var renewalDate: Moment?
        package var renewalPrice: Int64?
        package var currency: String?
        package var recentSubscriptionStartDate: Moment?
        package var appAccountToken: String?
        package var appTransactionID: String?
        package var renewalBillingPlanType: String?
        package var commitment: Commitment?

        package init(
            originalTransactionID: OriginalTransactionID, environment: AppStoreEnvironment, signedDate: Moment,
            digest: PayloadDigest
        ) {
            self.originalTransactionID = originalTransactionID
            self.environment = environment
            self.signedDate = signedDate
            self.digest = digest
        }
    }

    /// Apple's `commitmentInfo` of a renewal info: what happens when the commitment ends.
    package struct Commitment: Hashable, Sendable {
        package var autoRenewProductID: String?
        package var autoRenewStatus: Int64?
        package var renewalBillingPlanType: String?
        package var renewalDate: Moment?
        package var renewalPrice: Int64?

        package init() {}
    }
}
