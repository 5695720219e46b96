import Subscriptions
import WireProtocol

extension TransactionInfo {
    init(
        _ proto: ProtoTransactionInfo, owner: ProtoOwner, products: [String], key: StreamKey
    ) throws(Refusal) {
        let originalID = proto.hasOriginalTransactionID ? try proto.originalTransactionID.spelling() : key.id
        let environment = try proto.environment.text(orOther: proto.environmentText)
        self.init(
            originalTransactionID: OriginalTransactionID(rawValue: originalID),
            transactionID: TransactionID(rawValue: try proto.transactionID.spelling()),
            bundleID: proto.hasBundleID ? BundleID(rawValue: proto.bundleID) : key.bundleID,
            environment: environment.map(AppStoreEnvironment.init(rawValue:)) ?? key.environment,
            signedDate: Moment(rawValue: proto.signedDate), digest: try PayloadDigest(proto: proto.digest))

        self.webOrderLineItemID = proto.hasWebOrderLineItemID ? try proto.webOrderLineItemID.spelling() : nil
        self.productID = try products.product(at: proto.product)
        self.subscriptionGroupIdentifier =
            proto.hasSubscriptionGroupIdentifier ? try proto.subscriptionGroupIdentifier.spelling() : nil
        self.productType = try proto.productType.text(orOther: proto.productTypeText)
        self.purchaseDate = proto.hasPurchaseDate ? Moment(rawValue: proto.purchaseDate) : nil
        self.originalPurchaseDate =
            proto.hasOriginalPurchaseDate ? Moment(rawValue: proto.originalPurchaseDate) : nil
        self.expiresDate = proto.hasExpiresDate ? Moment(rawValue: proto.expiresDate) : nil
        self.quantity = proto.hasQuantity ? proto.quantity : nil
        self.appAccountToken = owner.hasAppAccountToken ? try owner.appAccountToken.spelling() : nil
        self.inAppOwnershipType = try proto.ownership.text(orOther: proto.ownershipText)
        self.isUpgraded = proto.hasIsUpgraded ? proto.isUpgraded : nil
        self.revocationDate = proto.hasRevocationDate ? Moment(rawValue: proto.revocationDate) : nil
        self.revocationReason = proto.hasRevocationReason ? RevocationReason(rawValue: proto.revocationReason) : nil
        self.revocationType = try proto.revocationType.text(orOther: proto.revocationTypeText)
        self.revocationPercentage = proto.hasRevocationPercentage ? proto.revocationPercentage : nil
        self.offerType = proto.hasOfferType ? OfferType(rawValue: proto.offerType) : nil
        self.offerIdentifier = proto.hasOfferIdentifier ? proto.offerIdentifier : nil
        self.offerDiscountType = try proto.offerDiscountType.text(orOther: proto.offerDiscountTypeText)
        self.offerPeriod = proto.hasOfferPeriod ? proto.offerPeriod : nil
        self.storefront = proto.hasStorefront ? proto.storefront : nil
        self.storefrontID = proto.hasStorefrontID ? try proto.storefrontID.spelling() : nil
        self.transactionReason = try proto.transactionReason.text(orOther: proto.transactionReasonText)
        self.price = proto.hasPrice ? proto.price : nil
        self.currency = proto.hasCurrency ? proto.currency : nil
        self.appTransactionID = owner.hasAppTransactionID ? try owner.appTransactionID.spelling() : nil
        if proto.hasPreviousOriginalTransactionID {
            let previous = try proto.previousOriginalTransactionID.spelling()
            self.previousOriginalTransactionID = OriginalTransactionID(rawValue: previous)
        }
        self.billingPlanType = try proto.billingPlanType.text(orOther: proto.billingPlanTypeText)
        self.commitment = proto.hasCommitment ? Commitment(proto.commitment) : nil
    }
}

extension TransactionInfo.Commitment {
    fileprivate init(_ proto: ProtoTransactionInfo.Commitment) {
        self.init()
        self.billingPeriodNumber = proto.hasBillingPeriodNumber ? proto.billingPeriodNumber : nil
        self.totalBillingPeriods = proto.hasTotalBillingPeriods ? proto.totalBillingPeriods : nil
        self.commitmentExpiresDate = proto.hasExpiresDate ? Moment(rawValue: proto.expiresDate) : nil
        self.commitmentPrice = proto.hasPrice ? proto.price : nil
    }
}
