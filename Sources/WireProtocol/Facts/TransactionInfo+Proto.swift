import Subscriptions

extension TransactionInfo {
    init(
        _ proto: ProtoTransactionInfo, owner: ProtoOwner, products: ProductList, key: StreamKey
    ) throws(WireError) {
        let originalID = proto.hasOriginalTransactionID ? try proto.originalTransactionID.spelling() : key.id
        let environment = try proto.environment.text(orOther: proto.environmentText)
        self.init(
            originalTransactionID: OriginalTransactionID(rawValue: originalID),
            transactionID: TransactionID(rawValue: try proto.transactionID.spelling()),
            bundleID: proto.hasBundleID ? BundleID(rawValue: proto.bundleID) : key.bundleID,
            environment: environment.map(AppStoreEnvironment.init(rawValue:)) ?? key.environment,
            signedDate: Moment(rawValue: proto.signedDate), digest: try PayloadDigest(proto: proto.digest))

        self.webOrderLineItemID = proto.hasWebOrderLineItemID ? try proto.webOrderLineItemID.spelling() : nil
        self.productID = try products.id(at: proto.product)
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

    /// Without the personal identifiers: see `Facts.owners`.
    func proto(products: inout ProductList, key: StreamKey) -> ProtoTransactionInfo {
        var proto = ProtoTransactionInfo()
        if let id = key.identifier(unlessEqual: self.originalTransactionID) { proto.originalTransactionID = id }
        proto.transactionID = ProtoIdentifier(self.transactionID.rawValue)
        if !self.bundleID.rawValue.hasSameBytes(as: key.bundleID.rawValue) { proto.bundleID = self.bundleID.rawValue }
        (proto.environment, proto.environmentText) = key.environmentFields(unlessEqual: self.environment)
        proto.signedDate = self.signedDate.rawValue
        proto.digest = self.digest.proto

        if let id = self.webOrderLineItemID { proto.webOrderLineItemID = ProtoIdentifier(id) }
        proto.product = products.place(of: self.productID)
        if let id = self.subscriptionGroupIdentifier { proto.subscriptionGroupIdentifier = ProtoIdentifier(id) }
        (proto.productType, proto.productTypeText) = ProtoProductType.fields(for: self.productType)
        if let date = self.purchaseDate { proto.purchaseDate = date.rawValue }
        if let date = self.originalPurchaseDate { proto.originalPurchaseDate = date.rawValue }
        if let date = self.expiresDate { proto.expiresDate = date.rawValue }
        if let quantity = self.quantity { proto.quantity = quantity }
        (proto.ownership, proto.ownershipText) = ProtoOwnership.fields(for: self.inAppOwnershipType)
        if let isUpgraded = self.isUpgraded { proto.isUpgraded = isUpgraded }
        if let date = self.revocationDate { proto.revocationDate = date.rawValue }
        if let reason = self.revocationReason { proto.revocationReason = reason.rawValue }
        (proto.revocationType, proto.revocationTypeText) = ProtoRevocationType.fields(for: self.revocationType)
        if let percentage = self.revocationPercentage { proto.revocationPercentage = percentage }
        if let type = self.offerType { proto.offerType = type.rawValue }
        if let id = self.offerIdentifier { proto.offerIdentifier = id }
        (proto.offerDiscountType, proto.offerDiscountTypeText) =
            ProtoOfferDiscountType.fields(for: self.offerDiscountType)
        if let period = self.offerPeriod { proto.offerPeriod = period }
        if let storefront = self.storefront { proto.storefront = storefront }
        if let id = self.storefrontID { proto.storefrontID = ProtoIdentifier(id) }
        (proto.transactionReason, proto.transactionReasonText) =
            ProtoTransactionReason.fields(for: self.transactionReason)
        if let price = self.price { proto.price = price }
        if let currency = self.currency { proto.currency = currency }
        if let id = self.previousOriginalTransactionID {
            proto.previousOriginalTransactionID = ProtoIdentifier(id.rawValue)
        }
        (proto.billingPlanType, proto.billingPlanTypeText) = ProtoBillingPlanType.fields(for: self.billingPlanType)
        if let commitment = self.commitment { proto.commitment = commitment.proto() }
        return proto
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

    fileprivate func proto() -> ProtoTransactionInfo.Commitment {
        var proto = ProtoTransactionInfo.Commitment()
        if let number = self.billingPeriodNumber { proto.billingPeriodNumber = number }
        if let total = self.totalBillingPeriods { proto.totalBillingPeriods = total }
        if let date = self.commitmentExpiresDate { proto.expiresDate = date.rawValue }
        if let price = self.commitmentPrice { proto.price = price }
        return proto
    }
}
