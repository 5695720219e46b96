import Subscriptions

/// Money back.
extension SubscriptionLife {
    private static let reasons = [
        "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
    ]

    /// The store asks how much was used, and turns renewal off when it is about what runs or comes; it decides within a
    /// day, and before a coming period begins.
    mutating func ask(for refund: Act.Refund, at moment: Moment) -> [StoreNotification] {
        if refund.period == .coming, self.stage == .running {
            self.refundsNextPeriod = refund
            return []
        }
        guard let position = self.position(of: refund.period) else { return [] }
        let transaction = self.purchaser.transactions[position]
        guard transaction.price > 0, transaction.revocation == nil, !transaction.isUpgraded,
            self.undecided.insert(transaction.id).inserted
        else { return [] }
        let reason = self.random.pick(Self.reasons)
        var told = [
            self.accounts[0].tell("CONSUMPTION_REQUEST", nil, about: transaction, reason: reason, at: moment)
        ]
        if refund.period != .previous, self.purchaser.renewal.autoRenew {
            told += self.setRenewal(false, at: moment)
        }
        let pause = refund.period == .coming ? self.random.within(1...2) : self.random.within(60...20 * 60)
        self.enter(
            .decideRefund(transactionID: transaction.id, refund), due: moment + .minutes(pause), always: true)
        return told
    }

    private func position(of period: Act.Refund.Period) -> Int? {
        let last = self.purchaser.transactions.count - 1
        switch (period, self.stage) {
        case (.present, .running), (.coming, .renewed): return last
        case (.previous, .running) where last >= 1: return last - 1
        case (.previous, .renewed) where last >= 2: return last - 2
        default: return nil
        }
    }

    mutating func decide(_ refund: Act.Refund, of id: String, at moment: Moment) -> [StoreNotification] {
        self.undecided.remove(id)
        guard let position = self.purchaser.transactions.firstIndex(where: { $0.id == id }) else { return [] }
        guard refund.isGranted else {
            return [
                self.accounts[0].tell(
                    "REFUND_DECLINED", nil, about: self.purchaser.transactions[position], at: moment)
            ]
        }
        let isNewest = position == self.purchaser.transactions.count - 1
        let reason: Int64 = self.random.chance(300) ? 1 : 0
        var told = [
            self.accounts[0].revoke(
                position, refund.percentage == 100_000 ? .refundFull : .refundProrated, reason: reason,
                percentage: refund.percentage, "REFUND", at: moment)
        ]
        guard isNewest else { return told }
        told += self.revokeMembers(reason: reason, at: moment)
        self.lapse(at: moment)
        return told
    }

    /// The newest refund that still stands.
    mutating func reverseRefund(at moment: Moment) -> [StoreNotification] {
        guard let position = self.purchaser.transactions.lastIndex(where: { $0.revocation != nil }) else { return [] }
        let told = [self.accounts[0].restore(position, at: moment)]
        if position == self.purchaser.transactions.count - 1, !self.purchaser.isLapsed {
            self.stage = self.newest.purchaseDate > moment ? .renewed : .running
            self.planPeriod(at: moment)
        }
        return told
    }
}
