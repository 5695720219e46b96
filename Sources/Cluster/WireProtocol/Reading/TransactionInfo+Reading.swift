import Subscriptions

extension TransactionInfo {
    init(
        _ message: MessageReader, of key: StreamKey, owner: Facts.Owner, products: ProductList
    ) throws(WireError) {
        self.init(
            originalTransactionID: OriginalTransactionID(rawValue: key.id), transactionID: TransactionID(rawValue: ""),
            bundleID: key.bundleID, environment: key.environment, signedDate: Moment(rawValue: 0), digest: .zero)
        try self.unshared.fill(from: message, owner: owner, products: products)
    }
}

extension TransactionInfo.Fields {
    fileprivate mutating func fill(
        from message: MessageReader, owner: Facts.Owner, products: ProductList
    ) throws(WireError) {
        var message = message
        var (id, digest): (String?, PayloadDigest?)
        var environment = StoredWord<ProtoEnvironment>()
        var productType = StoredWord<ProtoProductType>()
        var ownership = StoredWord<ProtoOwnership>()
        var reason = StoredWord<ProtoTransactionReason>()
        var revocation = StoredWord<ProtoRevocationType>()
        var discount = StoredWord<ProtoOfferDiscountType>()
        var plan = StoredWord<ProtoBillingPlanType>()
        self.appAccountToken = owner.appAccountToken
        self.appTransactionID = owner.appTransactionID

        while let field = try message.nextField() {
            switch field {
            case 1: id = try message.identifier().spelling
            case 2: self.signedDate = try message.moment()
            case 3: digest = try message.digest()
            case 4: self.productID = try products.id(at: message.number())
            case 5: productType.number = try message.word()
            case 6: self.purchaseDate = try message.moment()
            case 7: self.originalPurchaseDate = try message.moment()
            case 8: self.expiresDate = try message.moment()
            case 9: self.webOrderLineItemID = try message.identifier().spelling
            case 10: self.subscriptionGroupIdentifier = try message.identifier().spelling
            case 11: ownership.number = try message.word()
            case 12: reason.number = try message.word()
            case 13: self.price = try message.integer()
            case 14: self.currency = try message.text()
            case 15: self.storefront = try message.text()
            case 16: self.storefrontID = try message.identifier().spelling
            case 17: self.quantity = try message.integer()
            case 18: self.originalTransactionID = OriginalTransactionID(rawValue: try message.identifier().spelling)
            case 19: self.bundleID = BundleID(rawValue: try message.text())
            case 20: environment.number = try message.word()
            case 21: self.isUpgraded = try message.flag()
            case 22: self.revocationDate = try message.moment()
            case 23: self.revocationReason = RevocationReason(rawValue: try message.integer())
            case 24: revocation.number = try message.word()
            case 25: self.revocationPercentage = try message.integer()
            case 26: self.offerType = OfferType(rawValue: try message.integer())
            case 27: self.offerIdentifier = try message.text()
            case 28: discount.number = try message.word()
            case 29: self.offerPeriod = try message.text()
            case 30:
                let previous = try message.identifier().spelling
                self.previousOriginalTransactionID = OriginalTransactionID(rawValue: previous)
            case 31: plan.number = try message.word()
            case 32: self.commitment = try TransactionInfo.Commitment(message.message(unless: self.commitment != nil))
            case 105: productType.text = try message.text()
            case 111: ownership.text = try message.text()
            case 112: reason.text = try message.text()
            case 120: environment.text = try message.text()
            case 124: revocation.text = try message.text()
            case 128: discount.text = try message.text()
            case 131: plan.text = try message.text()
            default: try message.skip()
            }
        }

        guard let id, let digest else { throw WireError(.malformed, "a transaction without its id or digest") }
        self.transactionID = TransactionID(rawValue: id)
        self.digest = digest
        if let environment = try environment.spelling {
            self.environment = AppStoreEnvironment(rawValue: environment)
        }
        self.productType = try productType.spelling
        self.inAppOwnershipType = try ownership.spelling
        self.transactionReason = try reason.spelling
        self.revocationType = try revocation.spelling
        self.offerDiscountType = try discount.spelling
        self.billingPlanType = try plan.spelling
    }
}

extension TransactionInfo.Commitment {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        var message = message
        self.init()
        while let field = try message.nextField() {
            switch field {
            case 1: self.billingPeriodNumber = try message.integer()
            case 2: self.totalBillingPeriods = try message.integer()
            case 3: self.commitmentExpiresDate = try message.moment()
            case 4: self.commitmentPrice = try message.integer()
            default: try message.skip()
            }
        }
    }
}
