/// What Apple signed about one purchase or renewal (JWSTransactionDecodedPayload). Whatever Apple may leave out is
/// optional; unknown words and numbers are kept as they came. `advancedCommerceInfo` stays in the evidence alone.
package struct TransactionInfo: Hashable, Sendable {
    private var fields: Shared<Fields>

    package init(
        originalTransactionID: OriginalTransactionID, transactionID: TransactionID, bundleID: BundleID,
        environment: AppStoreEnvironment, signedDate: Moment, digest: PayloadDigest
    ) {
        self.fields = Shared(
            Fields(
                originalTransactionID: originalTransactionID, transactionID: transactionID, bundleID: bundleID,
                environment: environment, signedDate: signedDate, digest: digest))
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
    package var transactionID: TransactionID {
        get { self.fields.value.transactionID }
        set { self.fields.value.transactionID = newValue }
    }
    package var bundleID: BundleID {
        get { self.fields.value.bundleID }
        set { self.fields.value.bundleID = newValue }
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

    package var webOrderLineItemID: String? {
        get { self.fields.value.webOrderLineItemID }
        set { self.fields.value.webOrderLineItemID = newValue }
    }
    package var productID: String? {
        get { self.fields.value.productID }
        set { self.fields.value.productID = newValue }
    }
    package var subscriptionGroupIdentifier: String? {
        get { self.fields.value.subscriptionGroupIdentifier }
        set { self.fields.value.subscriptionGroupIdentifier = newValue }
    }
    /// Apple's `type`, e.g. `Auto-Renewable Subscription`.
    package var productType: String? {
        get { self.fields.value.productType }
        set { self.fields.value.productType = newValue }
    }
    package var purchaseDate: Moment? {
        get { self.fields.value.purchaseDate }
        set { self.fields.value.purchaseDate = newValue }
    }
    package var originalPurchaseDate: Moment? {
        get { self.fields.value.originalPurchaseDate }
        set { self.fields.value.originalPurchaseDate = newValue }
    }
    package var expiresDate: Moment? {
        get { self.fields.value.expiresDate }
        set { self.fields.value.expiresDate = newValue }
    }
    package var quantity: Int64? {
        get { self.fields.value.quantity }
        set { self.fields.value.quantity = newValue }
    }
    package var appAccountToken: String? {
        get { self.fields.value.appAccountToken }
        set { self.fields.value.appAccountToken = newValue }
    }
    package var inAppOwnershipType: String? {
        get { self.fields.value.inAppOwnershipType }
        set { self.fields.value.inAppOwnershipType = newValue }
    }
    package var isUpgraded: Bool? {
        get { self.fields.value.isUpgraded }
        set { self.fields.value.isUpgraded = newValue }
    }
    package var revocationDate: Moment? {
        get { self.fields.value.revocationDate }
        set { self.fields.value.revocationDate = newValue }
    }
    package var revocationReason: RevocationReason? {
        get { self.fields.value.revocationReason }
        set { self.fields.value.revocationReason = newValue }
    }
    package var revocationType: String? {
        get { self.fields.value.revocationType }
        set { self.fields.value.revocationType = newValue }
    }
    /// Thousandths of a percent, 0…100000.
    package var revocationPercentage: Int64? {
        get { self.fields.value.revocationPercentage }
        set { self.fields.value.revocationPercentage = newValue }
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
    /// ISO 8601 duration.
    package var offerPeriod: String? {
        get { self.fields.value.offerPeriod }
        set { self.fields.value.offerPeriod = newValue }
    }
    package var storefront: String? {
        get { self.fields.value.storefront }
        set { self.fields.value.storefront = newValue }
    }
    package var storefrontID: String? {
        get { self.fields.value.storefrontID }
        set { self.fields.value.storefrontID = newValue }
    }
    package var transactionReason: String? {
        get { self.fields.value.transactionReason }
        set { self.fields.value.transactionReason = newValue }
    }
    /// Milliunits of `currency`.
    package var price: Int64? {
        get { self.fields.value.price }
        set { self.fields.value.price = newValue }
    }
    package var currency: String? {
        get { self.fields.value.currency }
        set { self.fields.value.currency = newValue }
    }
    package var appTransactionID: String? {
        get { self.fields.value.appTransactionID }
        set { self.fields.value.appTransactionID = newValue }
    }
    package var previousOriginalTransactionID: OriginalTransactionID? {
        get { self.fields.value.previousOriginalTransactionID }
        set { self.fields.value.previousOriginalTransactionID = newValue }
    }
    package var billingPlanType: String? {
        get { self.fields.value.billingPlanType }
        set { self.fields.value.billingPlanType = newValue }
    }
    package var commitment: Commitment? {
        get { self.fields.value.commitment }
        set { self.fields.value.commitment = newValue }
    }

    /// What the properties of the same names stand for.
    package struct Fields: Hashable, Sendable {
        package var originalTransactionID: OriginalTransactionID
        package var transactionID: TransactionID
        package var bundleID: BundleID
        package var environment: AppStoreEnvironment
        package var signedDate: Moment
        package var digest: PayloadDigest
        package var webOrderLineItemID: String?
        package var productID: String?
        package var subscriptionGroupIdentifier: String?
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
        package var revocationPercentage: Int64?
        package var offerType: OfferType?
        package var offerIdentifier: String?
        package var offerDiscountType: String?
        package var offerPeriod: String?
        package var storefront: String?
        package var storefrontID: String?
        package var transactionReason: String?
        package var price: Int64?
        package var currency: String?
        package var appTransactionID: String?
        package var previousOriginalTransactionID: OriginalTransactionID?
        package var billingPlanType: String?
        package var commitment: Commitment?

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

    /// Apple's `commitmentInfo` of a transaction: a month of a yearly commitment.
    package struct Commitment: Hashable, Sendable {
        package var billingPeriodNumber: Int64?
        package var totalBillingPeriods: Int64?
        package var commitmentExpiresDate: Moment?
        package var commitmentPrice: Int64?

        package init() {}
    }
}
