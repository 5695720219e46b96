import Subscriptions

/// What customers and publishers do. An act that has nothing to act on leaves no trace.
extension SubscriptionLife {
    mutating func perform(_ act: Act, at moment: Moment) -> [StoreNotification] {
        if self.stage == .renewed, moment >= self.newest.purchaseDate { self.stage = .running }
        if self.stage == .renewed, act.waitsForComingPeriod {
            self.enter(.act(act), due: self.newest.purchaseDate + .minutes(1), always: true)
            return []
        }
        switch act {
        case .buy(let id, let offer): return self.buy(id, offer: offer, at: moment)
        case .cancel: return self.cancel(at: moment)
        case .resume: return self.resume(at: moment)
        case .change(let id): return self.change(to: id, at: moment)
        case .keep: return self.keep(at: moment)
        case .redeem(let offer, let id): return self.redeem(offer, for: id, at: moment)
        case .fail:
            self.cardPays = false
            return []
        case .pay: return self.pay(at: moment)
        case .consent: return self.consent(at: moment)
        case .refund(let refund): return self.ask(for: refund, at: moment)
        case .reverseRefund: return self.reverseRefund(at: moment)
        case .share(let members): return self.share(with: members, at: moment)
        case .unshare: return self.unshare(at: moment)
        case .raisePrice(let price, let needsConsent):
            return self.raisePrice(to: price, needsConsent: needsConsent, at: moment)
        case .extend(let duration): return self.extend(by: duration, at: moment)
        case .extendEverybody(let duration, let fails):
            return fails ? self.failExtension(at: moment) : self.extend(by: duration, at: moment)
        case .withdraw:
            if self.isInService { self.withdrawn.insert(self.product) }
            return []
        case .lapse:
            if self.isInService { self.lapsesWithoutReason = true }
            return []
        case .migrate: return self.migrate(at: moment)
        case .changeMetadata: return self.changeMetadata(at: moment)
        case .changePrice(let price): return self.changePrice(to: price, at: moment)
        case .externalToken, .rescindConsent, .tellBackend: return []
        }
    }

    /// A paid period runs.
    var isInService: Bool { self.stage == .running || self.stage == .renewed }

    private mutating func buy(_ id: String, offer identifier: String?, at moment: Moment) -> [StoreNotification] {
        guard let product = self.rules.product(id), let plan = product.plan, self.cardPays,
            !self.withdrawn.contains(product)
        else { return [] }
        switch self.stage {
        case .new:
            let offer = identifier.flatMap { plan.offer($0) }.flatMap { $0.kind == .winBack ? nil : $0 }
            return self.begin(
                product, offer: offer ?? plan.introductoryOffer, from: moment, reason: .purchase, "SUBSCRIBED",
                "INITIAL_BUY", at: moment)
        case .lapsed:
            if let lapsedAt = self.purchaser.lapsedAt, lapsedAt > moment {
                self.enter(.act(.buy(product: id, offer: identifier)), due: lapsedAt + .minutes(1))
                return []
            }
            self.dropPlan()
            return self.begin(
                product, offer: identifier.flatMap { plan.offer($0) }, from: moment, reason: .purchase, "SUBSCRIBED",
                "RESUBSCRIBE", at: moment)
        case .running, .renewed:
            return self.change(to: id, at: moment)
        case .ended, .unpaid:
            return []
        }
    }

    private mutating func cancel(at moment: Moment) -> [StoreNotification] {
        guard self.purchaser.renewal.autoRenew else { return [] }
        switch self.stage {
        case .new, .lapsed:
            return []
        case .running, .renewed:
            return self.setRenewal(false, at: moment)
        case .ended where self.isCommitted, .unpaid where self.isCommitted:
            return self.setRenewal(false, at: moment)
        case .ended:
            // Nothing is owed yet: what is off and over has expired.
            self.expireShortly(after: moment)
            return self.everybody { account in
                account.conclude(.expired, "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", at: moment) {
                    $0.turnRenewal(on: false)
                }
            }
        case .unpaid:
            self.expireShortly(after: moment)
            return self.setRenewal(false, at: moment)
        }
    }

    private mutating func expireShortly(after moment: Moment) {
        self.dropPlan()
        let due = self.shortly(after: moment)
        self.enter(.expire, due: due)
    }

    private mutating func resume(at moment: Moment) -> [StoreNotification] {
        guard self.isInService, !self.purchaser.renewal.autoRenew else { return [] }
        return self.setRenewal(true, at: moment)
    }

    mutating func setRenewal(_ isOn: Bool, at moment: Moment) -> [StoreNotification] {
        self.everybody { account in
            account.setTerms(
                "DID_CHANGE_RENEWAL_STATUS", isOn ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED", at: moment
            ) { $0.turnRenewal(on: isOn) }
        }
    }
}

extension RenewalTerms {
    mutating func turnRenewal(on isOn: Bool) {
        self.autoRenew = isOn
        if self.commitmentAutoRenew != nil { self.commitmentAutoRenew = isOn }
    }
}

extension Act {
    /// Once the next period is charged, these are about that one, and it has to begin first.
    fileprivate var waitsForComingPeriod: Bool {
        switch self {
        case .cancel, .resume, .fail, .pay, .extend, .extendEverybody, .externalToken, .rescindConsent, .tellBackend:
            false
        case .refund(let refund): refund.period == .present
        case .buy, .change, .keep, .redeem, .consent, .reverseRefund, .share, .unshare, .raisePrice, .withdraw, .lapse,
            .migrate, .changeMetadata, .changePrice:
            true
        }
    }
}
