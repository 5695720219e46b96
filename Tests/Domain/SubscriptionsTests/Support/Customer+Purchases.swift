import Subscriptions

/// What the customer buys, pays and lets go. Each act moves time to where it can happen.
extension Customer {
    mutating func subscribe(
        _ product: String = "pro.monthly", trial: Milliseconds? = nil, family: Bool = false,
        commitment months: Int64? = nil
    ) -> FactBundle {
        self.buy(product, until: self.now + (trial ?? self.period), reason: "PURCHASE")
        if trial != nil { self.offer(.introductory, discount: "FREE_TRIAL") }
        if family { self.transactions[0].inAppOwnershipType = "FAMILY_SHARED" }
        if let months { self.transactions[0].commitment = self.commitment(month: 1, of: months) }
        return self.notify("SUBSCRIBED", "INITIAL_BUY")
    }

    mutating func resubscribe(_ product: String = "pro.monthly") -> FactBundle {
        self.wait(.hours(1))
        self.buy(product, until: self.now + self.period, reason: "PURCHASE")
        return self.notify("SUBSCRIBED", "RESUBSCRIBE")
    }

    /// Another period of the same product while it runs. What Apple says of it is up to the caller.
    mutating func buyAgain() {
        self.wait(.hours(1))
        self.buy(self.current.productID!, until: self.now + self.period, reason: "PURCHASE")
    }

    /// - Parameter early: how long before the new period starts it is charged and told of.
    mutating func renew(early: Milliseconds = .hours(0)) -> FactBundle {
        let start = self.end
        self.wait(until: start - early)
        self.buy(self.renewal.autoRenewProductID!, until: start + self.period, from: start, reason: "RENEWAL")
        return self.notify("DID_RENEW", about: self.transactions.count - 1)
    }

    mutating func failToRenew(grace: Milliseconds?) -> FactBundle {
        self.wait(until: self.end)
        self.renewal.isInBillingRetryPeriod = true
        self.renewal.expirationIntent = .billingError
        self.renewal.gracePeriodExpiresDate = grace.map { self.end + $0 }
        self.status = grace == nil ? .billingRetry : .billingGracePeriod
        return self.notify("DID_FAIL_TO_RENEW", grace == nil ? nil : "GRACE_PERIOD")
    }

    mutating func graceExpires() -> FactBundle {
        self.wait(until: self.renewal.gracePeriodExpiresDate!)
        self.renewal.gracePeriodExpiresDate = nil
        self.status = .billingRetry
        return self.notify("GRACE_PERIOD_EXPIRED")
    }

    /// Within grace the billing cycle stays as it was, later a new one begins.
    mutating func recover(chargedAtEnd: Bool = false) -> FactBundle {
        self.wait(.hours(3))
        let inGrace = self.status == .billingGracePeriod
        let end = self.end
        self.buy(
            self.renewal.autoRenewProductID!, until: (inGrace ? end : self.now) + self.period,
            from: inGrace && chargedAtEnd ? end : self.now, reason: "RENEWAL")
        return self.notify("DID_RENEW", "BILLING_RECOVERY", about: self.transactions.count - 1)
    }

    mutating func expire(_ intent: ExpirationIntent) -> FactBundle {
        let subtypes = ["VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE"]
        self.wait(until: intent == .billingError ? self.end + .days(60) : self.end)
        self.renewal.autoRenewStatus = 0
        self.renewal.expirationIntent = intent
        self.renewal.isInBillingRetryPeriod = intent == .billingError ? false : nil
        self.renewal.gracePeriodExpiresDate = nil
        self.renewal.eligibleWinBackOfferIDs = ["come.back"]
        self.status = .expired
        return self.notify(
            "EXPIRED", subtypes.indices.contains(Int(intent.rawValue) - 1) ? subtypes[Int(intent.rawValue) - 1] : nil)
    }

    mutating func upgrade(to product: String, offer: Bool = false) -> FactBundle {
        self.transactions[self.currentIndex].isUpgraded = true
        self.buy(product, until: self.now + self.period, reason: "PURCHASE")
        if offer { self.offer(.offerCode, discount: "PAY_UP_FRONT") }
        return self.notify(offer ? "OFFER_REDEEMED" : "DID_CHANGE_RENEWAL_PREF", "UPGRADE")
    }

    private mutating func buy(_ product: String, until end: Moment, from start: Moment? = nil, reason: String) {
        let previous = self.transactions.last
        var new = transaction(100 + self.transactions.count, from: nil, to: nil, product: product)
        new.purchaseDate = start ?? self.now
        new.originalPurchaseDate = self.transactions.first?.originalPurchaseDate ?? self.now
        new.expiresDate = end
        new.transactionReason = reason
        new.inAppOwnershipType = previous?.inAppOwnershipType ?? "PURCHASED"
        if let old = previous?.commitment, let month = old.billingPeriodNumber, let months = old.totalBillingPeriods {
            new.commitment = self.commitment(month: month + 1, of: months, until: old.commitmentExpiresDate)
        }
        self.transactions.append(new)
        self.status = .active
        var renewal = RenewalInfo(
            originalTransactionID: new.originalTransactionID, environment: .production, signedDate: self.now,
            digest: new.digest)
        renewal.productID = product
        renewal.autoRenewProductID = product
        renewal.autoRenewStatus = previous != nil && reason == "RENEWAL" ? self.renewal.autoRenewStatus : 1
        renewal.renewalDate = end
        renewal.recentSubscriptionStartDate = new.originalPurchaseDate
        self.renewal = renewal
    }

    private mutating func offer(_ type: OfferType, discount: String) {
        self.transactions[self.transactions.count - 1].offerType = type
        self.transactions[self.transactions.count - 1].offerDiscountType = discount
    }

    private func commitment(month: Int64, of months: Int64, until end: Moment? = nil) -> TransactionInfo.Commitment? {
        guard month <= months else { return nil }
        var commitment = TransactionInfo.Commitment()
        commitment.billingPeriodNumber = month
        commitment.totalBillingPeriods = months
        commitment.commitmentExpiresDate = end ?? self.now + Milliseconds(rawValue: self.period.rawValue * months)
        return commitment
    }
}
