extension Derivation {
    /// The whole answer for one moment. Whatever the verdict leaves out, the facts are shown as they are.
    func snapshot(
        at moment: Moment, _ verdict: Verdict, validUntil: Moment?, customerIDs: [String]
    ) -> SubscriptionSnapshot {
        var snapshot = SubscriptionSnapshot(
            key: self.key, state: verdict.state, entitled: verdict.entitled, validUntil: validUntil)
        snapshot.awaitingRenewal = verdict.awaitingRenewal
        snapshot.incomplete = verdict.incomplete
        snapshot.customerIDs = customerIDs
        let view = verdict.isProtected ? self.decision(at: moment).view : self.known
        if let current = view.current(at: moment) { self.show(current, in: &snapshot, at: moment) }
        if let renewal = self.known.renewal { self.show(renewal, in: &snapshot, at: moment) }
        return snapshot
    }

    private func show(_ current: TransactionInfo, in snapshot: inout SubscriptionSnapshot, at moment: Moment) {
        snapshot.productID = current.productID
        snapshot.productType = current.productType
        snapshot.subscriptionGroupIdentifier = current.subscriptionGroupIdentifier
        snapshot.transactionID = current.transactionID
        snapshot.purchaseDate = current.purchaseDate
        snapshot.originalPurchaseDate = current.originalPurchaseDate
        snapshot.expiresDate = current.expiresDate
        snapshot.ownership = current.inAppOwnershipType
        snapshot.offer = SubscriptionSnapshot.Offer(
            current.offerType, id: current.offerIdentifier, discount: current.offerDiscountType)
        snapshot.appAccountToken = current.appAccountToken
        snapshot.appTransactionID = current.appTransactionID
        snapshot.storefront = current.storefront
        snapshot.isUpgraded = self.known.lacksUpgrade && current.isUpgraded == true
        snapshot.commitment = current.commitment.map { commitment in
            SubscriptionSnapshot.Commitment(
                billingPeriodNumber: commitment.billingPeriodNumber,
                totalBillingPeriods: commitment.totalBillingPeriods,
                expiresDate: commitment.commitmentExpiresDate,
                autoRenew: self.known.renewal?.commitment?.autoRenewStatus.map { $0 != 0 })
        }
        if let revoking = self.known.revocation(of: current), let date = revoking.revocationDate, date <= moment {
            snapshot.revocation = SubscriptionSnapshot.Revocation(
                date: date, reason: revoking.revocationReason, type: revoking.revocationType,
                percentage: revoking.revocationPercentage)
        }
    }

    private func show(_ renewal: RenewalInfo, in snapshot: inout SubscriptionSnapshot, at moment: Moment) {
        if self.known.end(at: moment).isFromRenewal { snapshot.productID = renewal.productID ?? snapshot.productID }
        // In grace the customer has what is being charged: the smaller plan where a downgrade was booked.
        if snapshot.state == .grace { snapshot.productID = renewal.autoRenewProductID ?? snapshot.productID }
        snapshot.gracePeriodExpiresDate = renewal.gracePeriodExpiresDate
        snapshot.recentSubscriptionStartDate = renewal.recentSubscriptionStartDate
        snapshot.autoRenew = renewal.autoRenewStatus.map { $0 != 0 }
        snapshot.renewalProductID = renewal.autoRenewProductID
        snapshot.renewalDate = renewal.renewalDate
        snapshot.renewalPrice = renewal.renewalPrice
        snapshot.currency = renewal.currency
        snapshot.expirationIntent = renewal.expirationIntent
        snapshot.priceIncrease = renewal.priceIncreaseStatus
        snapshot.nextOffer = SubscriptionSnapshot.Offer(
            renewal.offerType, id: renewal.offerIdentifier, discount: renewal.offerDiscountType)
        snapshot.eligibleWinBackOfferIDs = renewal.eligibleWinBackOfferIDs
        snapshot.appAccountToken = snapshot.appAccountToken ?? renewal.appAccountToken
        snapshot.appTransactionID = snapshot.appTransactionID ?? renewal.appTransactionID
    }
}

extension SubscriptionSnapshot.Offer {
    fileprivate init?(_ type: OfferType?, id: String?, discount: String?) {
        guard let type else { return nil }
        self.init(type: type, id: id, discount: discount)
    }
}
