/// The state stays small whatever is signed: it leaves out what no answer needs, and any text longer than Apple's own
/// limits (the log and the evidence have it all).

extension TransactionInfo {
    var bounded: TransactionInfo {
        var kept = self
        kept.unshared.bound()
        return kept
    }
}

extension TransactionInfo {
    static let longestToken = 36
    static let longestAppTransactionID = 32
    static let longestPredecessor = 32
}

extension TransactionInfo.Fields {
    fileprivate mutating func bound() {
        self.webOrderLineItemID.keep(atMost: TransactionInfo.longestLineItem)
        self.productID.keep(atMost: 100)
        self.subscriptionGroupIdentifier.keep(atMost: 24)
        self.productType.keep(atMost: 28)
        // One is what nobody has to be told of.
        if self.quantity.map({ $0 < 2 }) ?? true { self.quantity = nil }
        self.appAccountToken.keep(atMost: TransactionInfo.longestToken)
        self.inAppOwnershipType.keep(atMost: 16)
        self.revocationType.keep(atMost: TransactionInfo.Revocation.longestType)
        self.offerIdentifier.keep(atMost: 64)
        self.offerDiscountType.keep(atMost: 16)
        self.offerPeriod = nil
        self.storefront.keep(atMost: 4)
        self.storefrontID = nil
        self.transactionReason = nil
        self.currency = nil
        self.appTransactionID.keep(atMost: TransactionInfo.longestAppTransactionID)
        if let id = self.previousOriginalTransactionID, id.rawValue.utf8.count > TransactionInfo.longestPredecessor {
            self.previousOriginalTransactionID = nil
        }
        self.billingPlanType = nil
        self.commitment?.commitmentPrice = nil
    }
}

extension TransactionInfo.Revocation {
    var bounded: Self {
        var kept = self
        kept.type.keep(atMost: Self.longestType)
        return kept
    }

    fileprivate static let longestType = 20
}

extension RenewalInfo {
    var bounded: RenewalInfo {
        var kept = self
        kept.unshared.bound()
        return kept
    }
}

extension RenewalInfo.Fields {
    fileprivate mutating func bound() {
        self.productID.keep(atMost: 100)
        self.autoRenewProductID.keep(atMost: 100)
        self.offerIdentifier.keep(atMost: 64)
        self.offerDiscountType.keep(atMost: 16)
        self.offerPeriod = nil
        self.eligibleWinBackOfferIDs = self.eligibleWinBackOfferIDs.map {
            Array($0.lazy.filter { $0.utf8.count <= 48 }.prefix(3))
        }
        self.currency.keep(atMost: 4)
        self.appAccountToken.keep(atMost: 36)
        self.appTransactionID.keep(atMost: 32)
        self.renewalBillingPlanType = nil
        self.commitment = self.commitment.map { commitment in
            var kept = RenewalInfo.Commitment()
            kept.autoRenewStatus = commitment.autoRenewStatus
            return kept
        }
    }
}

extension String? {
    /// nil when longer than `limit` UTF-8 bytes: a shortened identifier would be a wrong one. And when empty, which older
    /// versions have recorded as if it said something.
    fileprivate mutating func keep(atMost limit: Int) {
        if let text = self, text.isEmpty || text.utf8.count > limit { self = nil }
    }
}
