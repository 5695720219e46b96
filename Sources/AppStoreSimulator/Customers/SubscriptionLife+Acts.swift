import Subscriptions

/// What customers do within a period. An act that has nothing to act on leaves no trace.
extension SubscriptionLife {
    mutating func perform(_ act: PeriodPlan.Act, at moment: Moment) -> StoreNotification? {
        switch act {
        case .turnOffRenewal: self.renewal.autoRenew ? self.setRenewal(false, at: moment) : nil
        case .turnOnRenewal: self.renewal.autoRenew ? nil : self.setRenewal(true, at: moment)
        case .upgrade: self.upgrade(at: moment)
        case .downgrade: self.changeNextProduct(to: self.neighbour(higher: false), "DOWNGRADE", at: moment)
        case .keepProduct: self.changeNextProduct(to: self.current.product, nil, at: moment)
        case .askForRefund: self.askForRefund(at: moment)
        case .refundOfPreviousPeriod: self.refundPreviousPeriod(at: moment)
        }
    }

    mutating func setRenewal(_ isOn: Bool, at moment: Moment) -> StoreNotification {
        self.renewal.autoRenew = isOn
        self.truth.set(autoRenew: isOn, from: moment)
        return self.notification(
            "DID_CHANGE_RENEWAL_STATUS", isOn ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED", at: moment)
    }

    private func neighbour(higher: Bool) -> Product? {
        ProductCatalog.neighbour(of: self.current.product, higher: higher)
    }

    /// At once: a full new period; what is left of the old one is paid back.
    private mutating func upgrade(at moment: Moment) -> StoreNotification? {
        guard let product = self.neighbour(higher: true) else { return nil }
        self.current.isUpgraded = true
        self.renewal.autoRenew = true
        self.truth.set(autoRenew: true, from: moment)
        self.begin(product, offer: nil, from: moment, reason: .purchase, at: moment)
        return self.notification("DID_CHANGE_RENEWAL_PREF", "UPGRADE", at: moment)
    }

    private mutating func changeNextProduct(
        to product: Product?, _ subtype: String?, at moment: Moment
    ) -> StoreNotification? {
        guard let product, product != self.renewal.product else { return nil }
        self.renewal.product = product
        return self.notification("DID_CHANGE_RENEWAL_PREF", subtype, at: moment)
    }

    /// The store turns renewal off when it is asked, and decides within a day.
    private mutating func askForRefund(at moment: Moment) -> StoreNotification? {
        guard self.current.price > 0 else { return nil }
        self.agenda.enter(.grantRefund, due: moment + .minutes(self.random.within(60...20 * 60)))
        return self.renewal.autoRenew ? self.setRenewal(false, at: moment) : nil
    }

    mutating func grantRefund(at moment: Moment) -> StoreNotification {
        self.current.revocation = .refund(at: moment, random: &self.random)
        self.truth.set(self.standing(.revoked), from: moment)
        self.lapse(at: moment, now: moment)
        return self.notification("REFUND", at: moment)
    }

    /// Touches that period only: present access is as before.
    private mutating func refundPreviousPeriod(at moment: Moment) -> StoreNotification? {
        let position = self.transactions.count - 2
        guard position >= 0 else { return nil }
        let previous = self.transactions[position]
        guard previous.price > 0, previous.revocation == nil, !previous.isUpgraded else { return nil }
        self.transactions[position].revocation = .refund(at: moment, random: &self.random)
        return self.notification("REFUND", about: self.transactions[position], at: moment)
    }
}
