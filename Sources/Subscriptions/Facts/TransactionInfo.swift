/// What Apple signed about one purchase or renewal (JWSTransactionDecodedPayload). Whatever Apple may leave out is
/// optional; unknown words and numbers are kept as they came. `advancedCommerceInfo` stays in the evidence alone.
package struct TransactionInfo: Hashable, Sendable {
    package var originalTransactionID: OriginalTransactionID
    package var transactionID: TransactionID
    package var bundleID: BundleID
    package var environment: AppStoreEnvironment
    package var signedDate: Moment
    /// SHA-256 of the payload bytes as signed.
    package var digest: PayloadDigest

    package var webOrderLineItemID: String?
    package var productID: String?
    package var subscriptionGroupIdentifier: String?
    /// Apple's `type`, e.g. `Auto-Renewable Subscription`.
    package var productType: String?
    package var purchaseDate: Moment?
    package var originalPurchaseDate: Moment?
    package var expiresDate: Moment?
    package var quantity: Int64?
    package var appAccountToken: String?
    package var inAppOwnershipType: String?
    package var isUpgraded: Bool?
    package var revocationDate: Moment?
    package var revocationReason: RevocationReason?
    package var revocationType: String?
    /// Thousandths of a percent, 0…100000.
    package var revocationPercentage: Int64?
    package var offerType: OfferType?
    package var offerIdentifier: String?
    package var offerDiscountType: String?
    /// ISO 8601 duration.
    package var offerPeriod: String?
    package var storefront: String?
    package var storefrontID: String?
    package var transactionReason: String?
    /// Milliunits of `currency`.
    package var price: Int64?
    package var currency: String?
    package var appTransactionID: String?
    package var previousOriginalTransactionID: OriginalTransactionID?
    package var billingPlanType: String?
    package var commitment: Commitment?

    /// Apple's `commitmentInfo` of a transaction: a month of a yearly commitment.
    package struct Commitment: Hashable, Sendable {
        package var billingPeriodNumber: Int64?
        package var totalBillingPeriods: Int64?
        package var commitmentExpiresDate: Moment?
        package var commitmentPrice: Int64?

        package init() {}
    }

    package init(
        originalTransactionID: OriginalTransactionID, transactionID: TransactionID, bundleID: BundleID,
        environment: AppStoreEnvironment, signedDate: Moment, digest: PayloadDigest
    ) {
        self.originalTransactionID = originalTransactionID
        self.transactionID = transactionID
        self.bundleID = bundleID
        self.environment = environment
        self.signedDate = signedDate
        self.digest = digest
    }
}
