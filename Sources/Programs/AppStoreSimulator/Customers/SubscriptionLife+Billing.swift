import Subscriptions

/// Renewals, and what happens when the card does not pay.
extension SubscriptionLife {
    /// Whether the store means to charge again. A commitment is charged to its end, whatever the customer has turned off.
    private var willRenew: Bool { self.isCommitted || self.purchaser.renewal.autoRenew }

    /// Periods of the commitment are left to be paid, and it is not over: who pays late reaches its end with fewer.
    var isCommitted: Bool {
        self.newest.commitment.map { $0.number < $0.periods && self.end < $0.expiresDate } ?? false
    }

    /// Why the store will not even try; nil when it will.
    private var obstacle: (intent: RenewalTerms.ExpirationIntent, subtype: String?)? {
        if let next = self.purchaser.renewal.product, self.withdrawn.contains(next) {
            return (.productUnavailable, "PRODUCT_NOT_FOR_SALE")
        }
        if self.purchaser.renewal.priceIncrease == .pending { return (.priceIncreaseNotAccepted, "PRICE_INCREASE") }
        return self.lapsesWithoutReason ? (.other, nil) : nil
    }

    /// In the last day of the period.
    mutating func charge(at moment: Moment) -> [StoreNotification] {
        if self.stage == .renewed { self.stage = .running }
        // Nor while it decides whether this period is paid back.
        guard self.willRenew, self.obstacle == nil, self.cardPays, self.undecided.isEmpty else { return [] }
        let refund = self.refundsNextPeriod
        let told = self.renew(from: self.end, "DID_RENEW", nil, at: moment)
        if let refund {
            self.enter(.act(.refund(refund)), due: moment + .minutes(2))
        }
        return told
    }

    private mutating func renew(
        from start: Moment, isFromSigning: Bool = false, _ type: String, _ subtype: String?, at moment: Moment
    ) -> [StoreNotification] {
        let terms = self.purchaser.renewal
        return self.begin(
            terms.product ?? self.product, offer: terms.nextOffer, from: start, reason: .renewal,
            isFromSigning: isFromSigning, type, subtype, at: moment)
    }

    /// Not renewed so far. Who has turned auto-renew off is gone at this moment; for the rest the store has to conclude.
    mutating func endPeriod(at moment: Moment) -> [StoreNotification] {
        guard self.willRenew else {
            for index in self.accounts.indices where !self.accounts[index].isLapsed {
                self.accounts[index].foresee(.expired, from: moment)
            }
            self.lapse(at: moment)
            let due = self.shortly(after: moment)
            self.enter(.expire, due: due)
            return []
        }
        self.stage = .ended
        let due = self.shortly(after: moment)
        self.enter(.conclude, due: due)
        return []
    }

    mutating func conclude(at moment: Moment) -> [StoreNotification] {
        if let (intent, subtype) = self.obstacle { return self.expire(intent, subtype, at: moment) }
        guard !self.cardPays else { return self.renew(from: self.end, "DID_RENEW", nil, at: moment) }
        self.stage = .unpaid
        self.dropPlan()
        let graceEnd = self.graceEnd
        let retryEnd = self.rules.retryEnd(after: self.end)
        if let graceEnd { self.enter(.endGrace, due: self.shortly(after: graceEnd)) }
        self.enter(.endRetry, due: self.shortly(after: self.end + .days(60)))
        return self.everybody { $0.fail(graceEnd: graceEnd, retryEnd: retryEnd, at: moment) }
    }

    /// A free trial that cannot be charged has grace only where the publisher has chosen so.
    private var graceEnd: Moment? {
        guard let plan = self.product.plan, self.newest.price > 0 || self.rules.grace.includesTrials else { return nil }
        return self.rules.grace.duration(for: plan.period).map { self.end + $0 }
    }

    mutating func endGrace(at moment: Moment) -> [StoreNotification] {
        self.everybody { account in
            account.conclude(.retry, "GRACE_PERIOD_EXPIRED", nil, at: moment) { $0.gracePeriodExpiresDate = nil }
        }
    }

    mutating func endRetry(at moment: Moment) -> [StoreNotification] {
        self.expire(.billingError, "BILLING_RETRY", at: moment)
    }

    /// The card pays again: what is owed is charged at once. Within grace the renewal day stays; after it a new cycle
    /// starts today.
    mutating func pay(at moment: Moment) -> [StoreNotification] {
        self.cardPays = true
        guard self.stage == .unpaid, self.willRenew, self.obstacle == nil else { return [] }
        let isInGrace = self.purchaser.truth.standing(at: moment)?.state == .grace
        return self.renew(
            from: isInGrace ? self.end : moment, isFromSigning: isInGrace, "DID_RENEW", "BILLING_RECOVERY", at: moment)
    }

    /// Service is over, and the store says why.
    mutating func expire(
        _ intent: RenewalTerms.ExpirationIntent, _ subtype: String?, at moment: Moment
    ) -> [StoreNotification] {
        self.lapse(at: moment)
        return self.everybody { account in
            account.conclude(.expired, "EXPIRED", subtype, at: moment) { terms in
                terms.expirationIntent = intent
                terms.gracePeriodExpiresDate = nil
                if terms.isInBillingRetryPeriod != nil { terms.isInBillingRetryPeriod = false }
            }
        }
    }
}
