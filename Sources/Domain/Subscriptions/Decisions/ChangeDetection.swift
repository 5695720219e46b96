/// Finds what one bundle changed, by comparing the states before and after it.
struct ChangeDetection {
    let before: StreamState
    let after: StreamState
    let bundle: FactBundle
    /// Of `after`.
    let derivation: Derivation?
    /// As of the newest fact that was known, not of now: what time alone has changed since is this bundle's news too.
    private let stateBefore: LifecycleState?
    private let label: NotificationLabel?

    /// - Parameter derivation: of `after`.
    init(
        before: StreamState, after: StreamState, derivation: Derivation?, bundle: FactBundle, rules: DerivationRules
    ) {
        self.before = before
        self.after = after
        self.derivation = derivation
        self.bundle = bundle
        self.stateBefore = before.facts.watermark.flatMap { watermark in
            before.derivation(rules)?.verdict(at: min(watermark, bundle.signedDate)).state
        }
        self.label = bundle.notification.flatMap(NotificationLabel.init)
    }

    /// Never empty; the most important first.
    func changes() -> [Change] {
        var found = Set<Change>()
        if let label, label.isNews { found.insert(label.change) }
        for transaction in self.bundle.facts.transactions {
            found.formUnion(self.changes(by: transaction))
        }
        if self.after.facts.renewal?.info != self.before.facts.renewal?.info {
            found.formUnion(self.changesOfRenewal(beside: found))
        }
        if self.after.facts != self.before.facts { found.formUnion(self.changesOfState(beside: found)) }
        return found.isEmpty ? [.noted] : Change.byImportance.filter(found.contains)
    }

    // MARK: Transactions

    private func changes(by transaction: TransactionInfo) -> Set<Change> {
        let kind = self.before.key.kind
        guard let new = self.after.facts.period(of: transaction, in: kind)?.shown else {
            return self.changesOfEvicted(transaction)
        }
        if let old = self.before.facts.period(of: transaction, in: kind)?.shown {
            return self.changes(from: old, to: new)
        }
        var found = self.purchase(transaction)
        if new.revocationDate != nil {
            found.insert(self.revocation(new))
        } else if !found.isEmpty, let change = self.label?.change, change == .refundReversed || change == .extended {
            // There is no earlier version to compare with: the first word about it says what became of it.
            found.insert(change)
        }
        return found
    }

    /// An older period than those that are kept: only its label and its revocation tell what is new about it.
    private func changesOfEvicted(_ transaction: TransactionInfo) -> Set<Change> {
        switch self.label?.change {
        case .refunded?, .familyAccessRevoked?: transaction.revocationDate == nil ? [] : [self.revocation(transaction)]
        case .refundReversed?: transaction.revocationDate == nil ? [.refundReversed] : []
        default: []
        }
    }

    private func changes(from old: TransactionInfo, to new: TransactionInfo) -> Set<Change> {
        var found = Set<Change>()
        if old.revocationDate == nil, new.revocationDate != nil { found.insert(self.revocation(new)) }
        if old.revocationDate != nil, new.revocationDate == nil { found.insert(.refundReversed) }
        if let oldEnd = old.expiresDate, let newEnd = new.expiresDate, oldEnd < newEnd { found.insert(.extended) }
        return found
    }

    private func revocation(_ transaction: TransactionInfo) -> Change {
        if transaction.revocationType == "FAMILY_REVOKE" || self.label?.change == .familyAccessRevoked {
            return .familyAccessRevoked
        }
        // An upgrade gives part of the old period's price back; that ends no access.
        return transaction.isUpgraded == true ? .noted : .refunded
    }

    /// What a transaction of a period that was not known before is; nothing new for a copy of what was paid before.
    private func purchase(_ new: TransactionInfo) -> Set<Change> {
        if self.before.facts.hasPayment(of: new) { return [] }
        if self.before.key.kind == .purchase { return [.oneTimePurchased] }
        let previous = self.before.facts.periods.last { $0.rank < new.rank }?.info
        if new.reason(in: self.bundle) == "RENEWAL" {
            let wasFailing = self.stateBefore == .grace || self.stateBefore == .retry
            let isNewest = self.after.facts.periods.last?.rank == new.rank
            let recovers = self.label?.change == .recovered || wasFailing && isNewest
            let changes: Set<Change> = recovers ? [.recovered] : [.renewed]
            return previous.map { $0.productID == new.productID } ?? true ? changes : changes.union([.productChanged])
        }
        var changes: Set<Change> = new.offerType == nil ? [] : [.offerRedeemed]
        if new.isFirst {
            changes.insert(.subscribed)
        } else if let previous {
            if !self.runs(previous, at: new.rank.purchaseDate) {
                changes.insert(.resubscribed)
            } else if previous.productID != new.productID {
                changes.insert(.upgraded)
            } else if changes.isEmpty {
                changes.insert(self.stateBefore == .grace ? .recovered : .renewed)
            }
        } else if let change = self.label?.change, Change.purchases.contains(change) {
            changes.insert(change)
        } else if self.label.map({ Change.intentions.contains($0.change) }) != true {
            // Who changes the next renewal has been a customer all along.
            changes.insert(.resubscribed)
        }
        return changes
    }

    /// Whether the customer still had `previous` at `moment`, so that nobody has come back who buys then.
    private func runs(_ previous: TransactionInfo, at moment: Moment) -> Bool {
        let grace = self.stateBefore == .grace ? self.before.facts.renewal?.info.gracePeriodExpiresDate : nil
        return self.stateBefore != .revoked && moment < grace ?? previous.expiresDate ?? .distantPast
    }

    // MARK: Renewal

    private func changesOfRenewal(beside purchases: Set<Change>) -> Set<Change> {
        guard let new = self.after.facts.renewal?.info else { return [] }
        let old = self.before.facts.renewal?.info
        let isChosen = !purchases.isDisjoint(with: Change.choices)
        // Nothing to compare with: the label says which of Apple's settings the customer has just changed.
        var found: Set<Change> =
            old == nil ? Set([self.label?.change].compactMap(\.self)).intersection(Change.intentions) : []
        if new.autoRenewStatus == 0, old?.autoRenewStatus != 0 { found.insert(.autoRenewDisabled) }
        if new.autoRenewStatus == 1, old?.autoRenewStatus == 0, purchases.isDisjoint(with: Change.purchases) {
            found.insert(.autoRenewEnabled)
        }
        if let next = new.pendingProductID, next != old?.pendingProductID { found.insert(.downgradeScheduled) }
        // Not so when it has taken effect, or another product was bought over it.
        if new.pendingProductID == nil, let dropped = old?.pendingProductID, dropped != new.productID, !isChosen {
            found.insert(.downgradeCancelled)
        }
        if new.priceIncreaseStatus == 0, old?.priceIncreaseStatus != 0 { found.insert(.priceIncreasePending) }
        if new.priceIncreaseStatus == 1, old?.priceIncreaseStatus != 1 { found.insert(.priceIncreaseAccepted) }
        if let old, new.offerType != nil, (new.offerType, new.offerIdentifier) != (old.offerType, old.offerIdentifier) {
            found.insert(.offerRedeemed)
        }
        return found
    }

    // MARK: State

    private func changesOfState(beside found: Set<Change>) -> Set<Change> {
        let before = self.stateBefore
        guard let after = self.derivation?.verdict(at: self.bundle.signedDate).state, after != before
        else { return [] }
        switch after {
        case .grace: return [.enteredGrace]
        case .retry:
            // Of one whose grace period nobody has told of, the label says that it is over.
            let hadGrace = before == .grace || before == nil && self.label?.change == .graceExpired
            return [hadGrace ? .graceExpired : .enteredRetry]
        case .expired: return before == .revoked ? [] : [.expired]
        case .revoked: return found.isDisjoint(with: [.refunded, .familyAccessRevoked]) ? [.revoked] : []
        case .subscribed: return (before == .grace || before == .retry) && found.isEmpty ? [.recovered] : []
        case .owned: return []
        }
    }
}

extension TransactionInfo {
    /// Payloads older than `transactionReason` are told by the notification that brought them.
    fileprivate func reason(in bundle: FactBundle) -> String {
        self.transactionReason ?? (bundle.notification?.type == "DID_RENEW" ? "RENEWAL" : "PURCHASE")
    }

    /// The payment that the subscription began with, or a copy of it.
    fileprivate var isFirst: Bool {
        self.transactionID.rawValue == self.originalTransactionID.rawValue
            || self.purchaseDate != nil && self.purchaseDate == self.originalPurchaseDate
    }
}

extension RenewalInfo {
    /// The product of the next renewal, if it is to be another one.
    fileprivate var pendingProductID: String? {
        self.autoRenewProductID == self.productID ? nil : self.autoRenewProductID
    }
}
