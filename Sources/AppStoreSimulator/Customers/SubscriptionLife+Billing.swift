import Subscriptions

/// Renewals, and what happens when the card does not pay.
extension SubscriptionLife {
    /// In the last day of the period. What will be after its end is settled here, whether it is good or bad.
    mutating func charge(at moment: Moment) -> StoreNotification? {
        guard self.renewal.autoRenew else {
            self.truth.set(self.standing(.expired), from: self.end)
            let due = self.shortly(after: self.end)
            self.agenda.enter(.expire, due: due)
            return nil
        }
        switch self.plan.charge {
        case .succeeds:
            self.renew(from: self.end, at: moment)
            return self.notification("DID_RENEW", at: moment)
        case .fails(let ending):
            self.fail(ending)
            return nil
        }
    }

    private mutating func renew(from start: Moment, at moment: Moment) {
        self.begin(
            self.renewal.product ?? self.current.product, offer: self.renewal.nextOffer, from: start, reason: .renewal,
            at: moment)
    }

    /// Grace is for renewals of what was paid for: a free trial that cannot be charged goes into retry at once.
    private var graceEnd: Moment? {
        guard self.current.price > 0, let plan = self.current.product.plan else { return nil }
        return self.end.after(plan.gracePeriod)
    }

    private mutating func fail(_ ending: PeriodPlan.Ending) {
        let due = self.shortly(after: self.end)
        self.agenda.enter(.reportFailure, due: due)
        if let graceEnd = self.graceEnd {
            self.truth.set(self.standing(.grace, grace: graceEnd), from: self.end)
            self.truth.set(self.standing(.retry), from: graceEnd)
            let due = self.shortly(after: graceEnd)
            self.agenda.enter(.endGrace, due: due)
        } else {
            self.truth.set(self.standing(.retry), from: self.end)
        }
        self.truth.set(self.standing(.expired), from: self.end + Self.retryPeriod)
        switch ending {
        case .paid(let after): self.agenda.enter(.recover, due: self.end + after)
        case .cancelled(let after): self.agenda.enter(.cancelWhileUnpaid, due: self.end + after)
        case .never:
            let due = self.shortly(after: self.end + Self.retryPeriod)
            self.agenda.enter(.endRetry, due: due)
        }
    }

    mutating func reportFailure(at moment: Moment) -> StoreNotification {
        self.renewal.expirationIntent = .billingError
        self.renewal.isInBillingRetryPeriod = true
        self.renewal.gracePeriodExpiresDate = self.graceEnd
        return self.notification("DID_FAIL_TO_RENEW", self.graceEnd == nil ? nil : "GRACE_PERIOD", at: moment)
    }

    mutating func endGrace(at moment: Moment) -> StoreNotification {
        self.renewal.gracePeriodExpiresDate = nil
        return self.notification("GRACE_PERIOD_EXPIRED", at: moment)
    }

    /// Within grace the renewal day stays; after it a new cycle starts today.
    mutating func recover(at moment: Moment) -> StoreNotification {
        let inGrace = self.truth.standing(at: moment)?.state == .grace
        self.renew(from: inGrace ? self.end : moment, at: moment)
        return self.notification("DID_RENEW", "BILLING_RECOVERY", at: moment)
    }

    mutating func endRetry(at moment: Moment) -> StoreNotification {
        self.renewal.isInBillingRetryPeriod = false
        self.lapse(at: self.end, now: moment)
        return self.notification("EXPIRED", "BILLING_RETRY", at: moment)
    }

    /// Turning renewal off ends the retry: EXPIRED follows.
    mutating func cancelWhileUnpaid(at moment: Moment) -> StoreNotification {
        self.agenda.removeAll()
        let due = self.shortly(after: moment)
        self.truth.set(self.standing(.expired), from: due)
        self.agenda.enter(.expire, due: due)
        return self.setRenewal(false, at: moment)
    }

    /// The customer had left by choice.
    mutating func expire(at moment: Moment) -> StoreNotification {
        self.renewal.expirationIntent = .customerCancelled
        self.renewal.gracePeriodExpiresDate = nil
        if self.renewal.isInBillingRetryPeriod != nil { self.renewal.isInBillingRetryPeriod = false }
        self.lapse(at: self.end, now: moment)
        return self.notification("EXPIRED", "VOLUNTARY", at: moment)
    }
}
