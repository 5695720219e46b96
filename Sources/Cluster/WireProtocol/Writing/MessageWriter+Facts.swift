import Subscriptions

/// Facts leave out what equals the key of their stream, and their personal identifiers: see `Facts.owners`.
extension MessageWriter {
    mutating func write(_ facts: Facts, of key: StreamKey, _ field: Int) {
        guard !facts.isEmpty else { return }
        let products = ProductList(facts)
        self.message(field) { message in
            for id in products.ids { message.write(present: id, 1) }
            for transaction in facts.transactions {
                message.message(2) { $0.write(transaction, of: key, products) }
            }
            if let renewal = facts.renewal {
                message.message(3) { $0.write(renewal, of: key, products) }
            }
            if let status = facts.status {
                message.message(4) { $0.write(status) }
            }
        }
    }

    private mutating func write(_ info: TransactionInfo, of key: StreamKey, _ products: ProductList) {
        self.write(identifier: info.transactionID.rawValue, 1)
        self.write(info.signedDate, 2)
        self.write(info.digest, 3)
        self.write(products.place(of: info.productID), 4)
        let type = self.write(info.productType, as: ProtoProductType.self, 5)
        self.write(info.purchaseDate, 6)
        self.write(info.originalPurchaseDate, 7)
        self.write(info.expiresDate, 8)
        self.write(identifier: info.webOrderLineItemID, 9)
        self.write(identifier: info.subscriptionGroupIdentifier, 10)
        let ownership = self.write(info.inAppOwnershipType, as: ProtoOwnership.self, 11)
        let reason = self.write(info.transactionReason, as: ProtoTransactionReason.self, 12)
        self.write(info.price, 13)
        self.write(info.currency, 14)
        self.write(info.storefront, 15)
        self.write(identifier: info.storefrontID, 16)
        self.write(info.quantity, 17)
        self.write(identifier: key.text(unlessEqual: info.originalTransactionID), 18)
        let bundleID = info.bundleID.rawValue
        self.write(bundleID.hasSameBytes(as: key.bundleID.rawValue) ? nil : bundleID, 19)
        let environment = self.write(key.text(unlessEqual: info.environment), as: ProtoEnvironment.self, 20)
        self.write(info.isUpgraded, 21)
        self.write(info.revocationDate, 22)
        self.write(info.revocationReason?.rawValue, 23)
        let revocation = self.write(info.revocationType, as: ProtoRevocationType.self, 24)
        self.write(info.revocationPercentage, 25)
        self.write(info.offerType?.rawValue, 26)
        self.write(info.offerIdentifier, 27)
        let discount = self.write(info.offerDiscountType, as: ProtoOfferDiscountType.self, 28)
        self.write(info.offerPeriod, 29)
        self.write(identifier: info.previousOriginalTransactionID?.rawValue, 30)
        let plan = self.write(info.billingPlanType, as: ProtoBillingPlanType.self, 31)
        if let commitment = info.commitment {
            self.message(32) { message in
                message.write(commitment.billingPeriodNumber, 1)
                message.write(commitment.totalBillingPeriods, 2)
                message.write(commitment.commitmentExpiresDate, 3)
                message.write(commitment.commitmentPrice, 4)
            }
        }
        self.write(type, 105)
        self.write(ownership, 111)
        self.write(reason, 112)
        self.write(environment, 120)
        self.write(revocation, 124)
        self.write(discount, 128)
        self.write(plan, 131)
    }

    private mutating func write(_ info: RenewalInfo, of key: StreamKey, _ products: ProductList) {
        self.write(info.signedDate, 1)
        self.write(info.digest, 2)
        self.write(products.place(of: info.productID), 3)
        self.write(products.place(of: info.autoRenewProductID), 4)
        self.write(info.autoRenewStatus, 5)
        self.write(info.renewalDate, 6)
        self.write(info.renewalPrice, 7)
        self.write(info.currency, 8)
        self.write(info.recentSubscriptionStartDate, 9)
        self.write(info.expirationIntent?.rawValue, 10)
        self.write(info.isInBillingRetryPeriod, 11)
        self.write(info.gracePeriodExpiresDate, 12)
        self.write(info.priceIncreaseStatus, 13)
        self.write(info.offerType?.rawValue, 14)
        self.write(info.offerIdentifier, 15)
        let discount = self.write(info.offerDiscountType, as: ProtoOfferDiscountType.self, 16)
        self.write(info.offerPeriod, 17)
        self.write(texts: info.eligibleWinBackOfferIDs, 18)
        self.write(identifier: key.text(unlessEqual: info.originalTransactionID), 19)
        let environment = self.write(key.text(unlessEqual: info.environment), as: ProtoEnvironment.self, 20)
        let plan = self.write(info.renewalBillingPlanType, as: ProtoBillingPlanType.self, 21)
        if let commitment = info.commitment {
            self.message(22) { message in
                message.write(products.place(of: commitment.autoRenewProductID), 1)
                message.write(commitment.autoRenewStatus, 2)
                let plan = message.write(commitment.renewalBillingPlanType, as: ProtoBillingPlanType.self, 3)
                message.write(commitment.renewalDate, 4)
                message.write(commitment.renewalPrice, 5)
                message.write(plan, 103)
            }
        }
        self.write(discount, 116)
        self.write(environment, 120)
        self.write(plan, 121)
    }

    private mutating func write(_ status: StatusObservation) {
        self.write(status.status.rawValue, 1)
        self.write(status.asOf, 2)
        self.write(status.digest, 3)
        if let unsigned = status.unsigned {
            self.message(4) { $0.write(unsigned.purchaseDate, 1) }
        }
    }

    /// A `TextList`.
    private mutating func write(texts: [String]?, _ field: Int) {
        guard let texts else { return }
        self.message(field) { message in
            for text in texts { message.write(present: text, 1) }
        }
    }
}

extension ProductList {
    /// In the order in which the facts name them.
    fileprivate init(_ facts: Facts) {
        self.init()
        for transaction in facts.transactions { self.add(transaction.productID) }
        guard let renewal = facts.renewal else { return }
        self.add(renewal.productID)
        self.add(renewal.autoRenewProductID)
        self.add(renewal.commitment?.autoRenewProductID)
    }
}

extension StreamKey {
    fileprivate func text(unlessEqual id: OriginalTransactionID) -> String? {
        id.rawValue.hasSameBytes(as: self.id) ? nil : id.rawValue
    }

    fileprivate func text(unlessEqual environment: AppStoreEnvironment) -> String? {
        environment.rawValue.hasSameBytes(as: self.environment.rawValue) ? nil : environment.rawValue
    }
}
