/// What Apple signed about the next renewal (JWSRenewalInfoDecodedPayload). It names no bundle: it is bound to one by
/// what it arrived with. `advancedCommerceInfo` stays in the evidence alone.
package struct RenewalInfo: Hashable, Sendable {
    package var originalTransactionID: OriginalTransactionID
    package var environment: AppStoreEnvironment
    package var signedDate: Moment
    /// SHA-256 of the payload bytes as signed.
    package var digest: PayloadDigest

    package var productID: String?
    package var autoRenewProductID: String?
    /// Apple's `autoRenewStatus`: 0 off, 1 on.
    package var autoRenewStatus: Int64?
    package var expirationIntent: ExpirationIntent?
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Moment?
    /// 0 no answer yet, 1 consented or informed.
    package var priceIncreaseStatus: Int64?
    package var offerType: OfferType?
    package var offerIdentifier: String?
    package var offerDiscountType: String?
    package var offerPeriod: String?
    /// Best first.
    package var eligibleWinBackOfferIDs: [String]?
    package var renewalDate: Moment?
    /// Milliunits of `currency`.
    package var renewalPrice: Int64?
    package var currency: String?
    package var recentSubscriptionStartDate: Moment?
    package var appAccountToken: String?
    package var appTransactionID: String?
    package var renewalBillingPlanType: String?
    package var commitment: Commitment?

    /// Apple's `commitmentInfo` of a renewal info: what happens when the commitment ends.
    package struct Commitment: Hashable, Sendable {
        package var autoRenewProductID: String?
        package var autoRenewStatus: Int64?
        package var renewalBillingPlanType: String?
        package var renewalDate: Moment?
        package var renewalPrice: Int64?

        package init() {}
    }

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
