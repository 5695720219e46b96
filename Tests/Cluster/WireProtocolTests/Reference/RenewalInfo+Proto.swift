import Subscriptions
import WireProtocol

extension RenewalInfo {
    init(_ proto: ProtoRenewalInfo, owner: ProtoOwner, products: [String], key: StreamKey) throws(Refusal) {
        let originalID = proto.hasOriginalTransactionID ? try proto.originalTransactionID.spelling() : key.id
        let environment = try proto.environment.text(orOther: proto.environmentText)
        self.init(
            originalTransactionID: OriginalTransactionID(rawValue: originalID),
            environment: environment.map(AppStoreEnvironment.init(rawValue:)) ?? key.environment,
            signedDate: Moment(rawValue: proto.signedDate), digest: try PayloadDigest(proto: proto.digest))

        self.productID = try products.product(at: proto.product)
        self.autoRenewProductID = try products.product(at: proto.autoRenewProduct)
        self.autoRenewStatus = proto.hasAutoRenewStatus ? proto.autoRenewStatus : nil
        self.expirationIntent = proto.hasExpirationIntent ? ExpirationIntent(rawValue: proto.expirationIntent) : nil
        self.isInBillingRetryPeriod = proto.hasIsInBillingRetryPeriod ? proto.isInBillingRetryPeriod : nil
        self.gracePeriodExpiresDate =
            proto.hasGracePeriodExpiresDate ? Moment(rawValue: proto.gracePeriodExpiresDate) : nil
        self.priceIncreaseStatus = proto.hasPriceIncreaseStatus ? proto.priceIncreaseStatus : nil
        self.offerType = proto.hasOfferType ? OfferType(rawValue: proto.offerType) : nil
        self.offerIdentifier = proto.hasOfferIdentifier ? proto.offerIdentifier : nil
        self.offerDiscountType = try proto.offerDiscountType.text(orOther: proto.offerDiscountTypeText)
        self.offerPeriod = proto.hasOfferPeriod ? proto.offerPeriod : nil
        self.eligibleWinBackOfferIDs =
            proto.hasEligibleWinBackOfferIds ? proto.eligibleWinBackOfferIds.texts : nil
        self.renewalDate = proto.hasRenewalDate ? Moment(rawValue: proto.renewalDate) : nil
        self.renewalPrice = proto.hasRenewalPrice ? proto.renewalPrice : nil
        self.currency = proto.hasCurrency ? proto.currency : nil
        self.recentSubscriptionStartDate =
            proto.hasRecentSubscriptionStartDate ? Moment(rawValue: proto.recentSubscriptionStartDate) : nil
        self.appAccountToken = owner.hasAppAccountToken ? try owner.appAccountToken.spelling() : nil
        self.appTransactionID = owner.hasAppTransactionID ? try owner.appTransactionID.spelling() : nil
        self.renewalBillingPlanType = try proto.billingPlanType.text(orOther: proto.billingPlanTypeText)
        self.commitment = proto.hasCommitment ? try Commitment(proto.commitment, products: products) : nil
    }
}

extension RenewalInfo.Commitment {
    fileprivate init(_ proto: ProtoRenewalInfo.Commitment, products: [String]) throws(Refusal) {
        self.init()
        self.autoRenewProductID = try products.product(at: proto.autoRenewProduct)
        self.autoRenewStatus = proto.hasAutoRenewStatus ? proto.autoRenewStatus : nil
        self.renewalBillingPlanType = try proto.billingPlanType.text(orOther: proto.billingPlanTypeText)
        self.renewalDate = proto.hasRenewalDate ? Moment(rawValue: proto.renewalDate) : nil
        self.renewalPrice = proto.hasRenewalPrice ? proto.renewalPrice : nil
    }
}
