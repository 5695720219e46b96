/// The state stays small whatever is signed: it leaves out what no answer needs, and any text longer than Apple's own
/// limits (the log and the evidence have it all).

extension TransactionInfo {
    var bounded: TransactionInfo {
        var kept = TransactionInfo(
            originalTransactionID: self.originalTransactionID, transactionID: self.transactionID,
            bundleID: self.bundleID, environment: self.environment, signedDate: self.signedDate, digest: self.digest)
        kept.webOrderLineItemID = self.webOrderLineItemID?.atMost(24)
        kept.productID = self.productID?.atMost(100)
        kept.subscriptionGroupIdentifier = self.subscriptionGroupIdentifier?.atMost(24)
        kept.productType = self.productType?.atMost(28)
        kept.purchaseDate = self.purchaseDate
        kept.originalPurchaseDate = self.originalPurchaseDate
        kept.expiresDate = self.expiresDate
        kept.appAccountToken = self.appAccountToken?.atMost(36)
        kept.inAppOwnershipType = self.inAppOwnershipType?.atMost(16)
        kept.isUpgraded = self.isUpgraded
        kept.revocationDate = self.revocationDate
        kept.revocationReason = self.revocationReason
        kept.revocationType = self.revocationType?.atMost(20)
        kept.revocationPercentage = self.revocationPercentage
        kept.offerType = self.offerType
        kept.offerIdentifier = self.offerIdentifier?.atMost(64)
        kept.offerDiscountType = self.offerDiscountType?.atMost(16)
        kept.storefront = self.storefront?.atMost(4)
        kept.appTransactionID = self.appTransactionID?.atMost(32)
        kept.previousOriginalTransactionID = self.previousOriginalTransactionID.flatMap {
            $0.rawValue.utf8.count <= 32 ? $0 : nil
        }
        kept.commitment = self.commitment
        kept.commitment?.commitmentPrice = nil
        return kept
    }
}

extension RenewalInfo {
    var bounded: RenewalInfo {
        var kept = self
        kept.productID = self.productID?.atMost(100)
        kept.autoRenewProductID = self.autoRenewProductID?.atMost(100)
        kept.offerIdentifier = self.offerIdentifier?.atMost(64)
        kept.offerDiscountType = self.offerDiscountType?.atMost(16)
        kept.offerPeriod = nil
        kept.eligibleWinBackOfferIDs = self.eligibleWinBackOfferIDs.map {
            Array($0.compactMap { $0.atMost(48) }.prefix(3))
        }
        kept.currency = self.currency?.atMost(4)
        kept.appAccountToken = self.appAccountToken?.atMost(36)
        kept.appTransactionID = self.appTransactionID?.atMost(32)
        kept.renewalBillingPlanType = nil
        kept.commitment = self.commitment.map { commitment in
            var kept = Commitment()
            kept.autoRenewStatus = commitment.autoRenewStatus
            return kept
        }
        return kept
    }
}

extension String {
    /// nil when longer than `limit` UTF-8 bytes: a shortened identifier would be a wrong one.
    fileprivate func atMost(_ limit: Int) -> String? { self.utf8.count <= limit ? self : nil }
}
