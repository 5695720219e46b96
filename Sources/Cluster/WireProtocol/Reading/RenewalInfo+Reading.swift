import Subscriptions

extension RenewalInfo {
    init(
        _ message: MessageReader, of key: StreamKey, owner: Facts.Owner, products: ProductList
    ) throws(WireError) {
        self.init(
            originalTransactionID: OriginalTransactionID(rawValue: key.id), environment: key.environment,
            signedDate: Moment(rawValue: 0), digest: .zero)
        try self.unshared.fill(from: message, owner: owner, products: products)
    }
}

extension RenewalInfo.Fields {
    fileprivate mutating func fill(
        from message: MessageReader, owner: Facts.Owner, products: ProductList
    ) throws(WireError) {
        var message = message
        var digest: PayloadDigest?
        var environment = StoredWord<ProtoEnvironment>()
        var discount = StoredWord<ProtoOfferDiscountType>()
        var plan = StoredWord<ProtoBillingPlanType>()
        self.appAccountToken = owner.appAccountToken
        self.appTransactionID = owner.appTransactionID

        while let field = try message.nextField() {
            switch field {
            case 1: self.signedDate = try message.moment()
            case 2: digest = try message.digest()
            case 3: self.productID = try products.id(at: message.number())
            case 4: self.autoRenewProductID = try products.id(at: message.number())
            case 5: self.autoRenewStatus = try message.integer()
            case 6: self.renewalDate = try message.moment()
            case 7: self.renewalPrice = try message.integer()
            case 8: self.currency = try message.text()
            case 9: self.recentSubscriptionStartDate = try message.moment()
            case 10: self.expirationIntent = ExpirationIntent(rawValue: try message.integer())
            case 11: self.isInBillingRetryPeriod = try message.flag()
            case 12: self.gracePeriodExpiresDate = try message.moment()
            case 13: self.priceIncreaseStatus = try message.integer()
            case 14: self.offerType = OfferType(rawValue: try message.integer())
            case 15: self.offerIdentifier = try message.text()
            case 16: discount.number = try message.word()
            case 17: self.offerPeriod = try message.text()
            case 18: self.eligibleWinBackOfferIDs = (self.eligibleWinBackOfferIDs ?? []) + (try message.texts())
            case 19: self.originalTransactionID = OriginalTransactionID(rawValue: try message.identifier().spelling)
            case 20: environment.number = try message.word()
            case 21: plan.number = try message.word()
            case 22:
                let commitment = try message.message(unless: self.commitment != nil)
                self.commitment = try RenewalInfo.Commitment(commitment, products: products)
            case 116: discount.text = try message.text()
            case 120: environment.text = try message.text()
            case 121: plan.text = try message.text()
            default: try message.skip()
            }
        }

        guard let digest else { throw WireError(.malformed, "a renewal info without its digest") }
        self.digest = digest
        if let environment = try environment.spelling {
            self.environment = AppStoreEnvironment(rawValue: environment)
        }
        self.offerDiscountType = try discount.spelling
        self.renewalBillingPlanType = try plan.spelling
    }
}

extension RenewalInfo.Commitment {
    fileprivate init(_ message: MessageReader, products: ProductList) throws(WireError) {
        var message = message
        var plan = StoredWord<ProtoBillingPlanType>()
        self.init()
        while let field = try message.nextField() {
            switch field {
            case 1: self.autoRenewProductID = try products.id(at: message.number())
            case 2: self.autoRenewStatus = try message.integer()
            case 3: plan.number = try message.word()
            case 4: self.renewalDate = try message.moment()
            case 5: self.renewalPrice = try message.integer()
            case 103: plan.text = try message.text()
            default: try message.skip()
            }
        }
        self.renewalBillingPlanType = try plan.spelling
    }
}
