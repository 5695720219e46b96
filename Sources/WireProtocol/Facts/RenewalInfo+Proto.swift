import Subscriptions

extension RenewalInfo {
    init(_ proto: ProtoRenewalInfo, owner: ProtoOwner, products: ProductList, key: StreamKey) throws(WireError) {
        let originalID = proto.hasOriginalTransactionID ? try proto.originalTransactionID.spelling() : key.id
        let environment = try proto.environment.text(orOther: proto.environmentText)
        self.init(
            originalTransactionID: OriginalTransactionID(rawValue: originalID),
            environment: environment.map(AppStoreEnvironment.init(rawValue:)) ?? key.environment,
            signedDate: Moment(rawValue: proto.signedDate), digest: try PayloadDigest(proto: proto.digest))

        self.productID = try products.id(at: proto.product)
        self.autoRenewProductID = try products.id(at: proto.autoRenewProduct)
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

    /// Without the personal identifiers: see `Facts.owners`.
    func proto(products: inout ProductList, key: StreamKey) -> ProtoRenewalInfo {
        var proto = ProtoRenewalInfo()
        if let id = key.identifier(unlessEqual: self.originalTransactionID) { proto.originalTransactionID = id }
        (proto.environment, proto.environmentText) = key.environmentFields(unlessEqual: self.environment)
        proto.signedDate = self.signedDate.rawValue
        proto.digest = self.digest.proto

        proto.product = products.place(of: self.productID)
        proto.autoRenewProduct = products.place(of: self.autoRenewProductID)
        if let status = self.autoRenewStatus { proto.autoRenewStatus = status }
        if let intent = self.expirationIntent { proto.expirationIntent = intent.rawValue }
        if let isInRetry = self.isInBillingRetryPeriod { proto.isInBillingRetryPeriod = isInRetry }
        if let date = self.gracePeriodExpiresDate { proto.gracePeriodExpiresDate = date.rawValue }
        if let status = self.priceIncreaseStatus { proto.priceIncreaseStatus = status }
        if let type = self.offerType { proto.offerType = type.rawValue }
        if let id = self.offerIdentifier { proto.offerIdentifier = id }
        (proto.offerDiscountType, proto.offerDiscountTypeText) =
            ProtoOfferDiscountType.fields(for: self.offerDiscountType)
        if let period = self.offerPeriod { proto.offerPeriod = period }
        if let ids = self.eligibleWinBackOfferIDs { proto.eligibleWinBackOfferIds.texts = ids }
        if let date = self.renewalDate { proto.renewalDate = date.rawValue }
        if let price = self.renewalPrice { proto.renewalPrice = price }
        if let currency = self.currency { proto.currency = currency }
        if let date = self.recentSubscriptionStartDate { proto.recentSubscriptionStartDate = date.rawValue }
        (proto.billingPlanType, proto.billingPlanTypeText) =
            ProtoBillingPlanType.fields(for: self.renewalBillingPlanType)
        if let commitment = self.commitment { proto.commitment = commitment.proto(products: &products) }
        return proto
    }
}

extension RenewalInfo.Commitment {
    fileprivate init(_ proto: ProtoRenewalInfo.Commitment, products: ProductList) throws(WireError) {
        self.init()
        self.autoRenewProductID = try products.id(at: proto.autoRenewProduct)
        self.autoRenewStatus = proto.hasAutoRenewStatus ? proto.autoRenewStatus : nil
        self.renewalBillingPlanType = try proto.billingPlanType.text(orOther: proto.billingPlanTypeText)
        self.renewalDate = proto.hasRenewalDate ? Moment(rawValue: proto.renewalDate) : nil
        self.renewalPrice = proto.hasRenewalPrice ? proto.renewalPrice : nil
    }

    fileprivate func proto(products: inout ProductList) -> ProtoRenewalInfo.Commitment {
        var proto = ProtoRenewalInfo.Commitment()
        proto.autoRenewProduct = products.place(of: self.autoRenewProductID)
        if let status = self.autoRenewStatus { proto.autoRenewStatus = status }
        (proto.billingPlanType, proto.billingPlanTypeText) =
            ProtoBillingPlanType.fields(for: self.renewalBillingPlanType)
        if let date = self.renewalDate { proto.renewalDate = date.rawValue }
        if let price = self.renewalPrice { proto.renewalPrice = price }
        return proto
    }
}
