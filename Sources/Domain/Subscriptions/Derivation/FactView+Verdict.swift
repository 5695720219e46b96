/// Rules 3 to 9.
extension FactView {
    func verdict(at moment: Moment, rules: DerivationRules) -> Verdict {
        guard self.kind == .subscription else { return self.purchaseVerdict(at: moment, rules: rules) }
        let current = self.current(at: moment)
        let end = self.end(at: moment)
        var verdict =
            self.statusVerdict(at: moment, end: end.moment, rules: rules)
            ?? self.factVerdict(at: moment, end: end.moment, rules: rules)
        verdict.incomplete =
            verdict.isLate || end.isFromRenewal || self.lacksUpgrade || current?.expiresDate == nil
        return verdict
    }

    // MARK: Rule 3

    /// Apple's status as long as no later fact speaks against it.
    func standingStatus(at moment: Moment) -> AppleStatus? {
        guard let status = self.status, status.observation.asOf <= moment else { return nil }
        let asOf = status.observation.asOf
        if let renewal = self.renewal, renewal.signedDate > asOf { return nil }
        if let unsigned = status.observation.unsigned,
            let newest = self.transactions.last, newest.rank.purchaseDate > unsigned.purchaseDate ?? .distantPast
        {
            return nil
        }
        guard let current = self.current(at: moment) else { return status.observation.status }
        if current.rank.purchaseDate > asOf, current.rank.purchaseDate <= moment { return nil }
        if self.isContradicted(status, by: current, at: moment) { return nil }
        return status.observation.status
    }

    /// Whether a version signed after `status` was given, by `moment`, says something else of the period's end. A copy that
    /// is signed later still says it no later.
    private func isContradicted(_ status: KeptStatus, by current: TransactionInfo, at moment: Moment) -> Bool {
        func isLater(_ signed: Moment) -> Bool { status.observation.asOf < signed && signed <= moment }
        guard let date = current.revocationDate, date != status.revocationDate else {
            return isLater(current.signedDate) && !status.knew(current)
        }
        if let revoking = self.revocation(of: current), revoking.revocationDate == date, isLater(revoking.signedDate) {
            return true
        }
        return isLater(current.signedDate) && !status.knewPaidEnd(of: current)
    }

    private func statusVerdict(at moment: Moment, end: Moment, rules: DerivationRules) -> Verdict? {
        guard let asOf = self.status?.observation.asOf, let status = self.standingStatus(at: moment),
            let state = status.state
        else { return nil }  // a number Apple may add says nothing
        var verdict = Verdict(rule: 3, state)
        guard let bound = self.bound(of: status, end: end, at: moment, rules: rules) else { return verdict }
        verdict.isLate = bound <= asOf
        guard moment < (verdict.isLate ? asOf + .lateStatus : bound) else { return nil }
        if status == .billingRetry, moment < end { return nil }
        verdict.awaitingRenewal = status == .active && end <= moment && self.mayRenew(at: moment, end: end)
        return verdict
    }

    /// Until when Apple's status decides that was given before; nil for one without a bound.
    private func bound(
        of status: AppleStatus, end: Moment, at moment: Moment, rules: DerivationRules
    ) -> Moment? {
        switch status {
        case .billingRetry: self.retryEnd(after: end)
        case .billingGracePeriod: self.renewal?.gracePeriodExpiresDate ?? end + .graceWithoutDate
        case .active: self.renewalDeadline(end: end, at: moment, rules: rules)
        default: nil
        }
    }

    // MARK: Rules 4 to 9

    /// What the facts say without Apple's status.
    func factVerdict(at moment: Moment, end: Moment, rules: DerivationRules) -> Verdict {
        let current = self.current(at: moment)
        if let date = current.flatMap({ self.revocation(of: $0)?.revocationDate }), date <= moment {
            return Verdict(rule: 4, .revoked)
        }
        if moment < end { return Verdict(rule: 5, .subscribed) }
        if let date = self.renewal?.gracePeriodExpiresDate, moment < date { return Verdict(rule: 6, .grace) }
        if self.renewal?.isInBillingRetryPeriod == true, moment < self.retryEnd(after: end) {
            return Verdict(rule: 7, .retry)
        }
        if moment < self.renewalDeadline(end: end, at: moment, rules: rules) {
            return Verdict(rule: 8, .subscribed, awaitingRenewal: true)
        }
        return Verdict(rule: 9, .expired)
    }

    /// Until when a renewal is waited for: `end` + leeway if one may come, else `end`.
    func renewalDeadline(end: Moment, at moment: Moment, rules: DerivationRules) -> Moment {
        self.mayRenew(at: moment, end: end) ? end + rules.leeway(in: self.environment) : end
    }

    func mayRenew(at moment: Moment, end: Moment) -> Bool {
        guard self.renewal?.expirationIntent == nil else { return false }
        if let commitmentEnd = self.current(at: moment)?.commitment?.commitmentExpiresDate, end < commitmentEnd {
            return true
        }
        return self.renewal?.autoRenewStatus ?? 1 != 0
    }

    /// Sandbox compresses time by rates that no payload tells, so no end of billing retry is derived there.
    func retryEnd(after end: Moment) -> Moment {
        self.environment == .sandbox ? .distantFuture : end + .billingRetry
    }

    // MARK: Purchases

    private func purchaseVerdict(at moment: Moment, rules: DerivationRules) -> Verdict {
        guard let current = self.current(at: moment) else {
            var nothing = Verdict(rule: 0, .owned)
            (nothing.entitled, nothing.incomplete) = (false, true)
            return nothing
        }
        if let date = self.revocation(of: current)?.revocationDate, date <= moment { return Verdict(rule: 0, .revoked) }
        var verdict = Verdict(rule: 0, .owned)
        guard !current.isConsumable else {
            verdict.entitled = false
            return verdict
        }
        if let end = self.purchaseEnd(of: current, rules: rules) { verdict.entitled = moment < end }
        return verdict
    }

    func purchaseEnd(of transaction: TransactionInfo, rules: DerivationRules) -> Moment? {
        guard let product = transaction.productID, let duration = rules.nonRenewingDuration[product] else { return nil }
        let (length, overflow) = duration.rawValue.multipliedReportingOverflow(by: max(1, transaction.quantity ?? 1))
        return transaction.purchaseDate.map { $0 + Milliseconds(rawValue: overflow ? .max : length) }
    }

    // MARK: Boundaries

    /// Adds every moment at which the verdict may change by itself, some of them twice.
    func addBoundaries(to moments: inout [Moment], rules: DerivationRules) {
        func add(_ moment: Moment?) {
            if let moment { moments.append(moment) }
        }
        var last: Moment?
        func add(after end: Moment) {
            guard end != last else { return }  // periods of one chain end together
            last = end
            moments.append(end)
            moments.append(end + rules.leeway(in: self.environment))
            moments.append(end + .graceWithoutDate)
            moments.append(self.retryEnd(after: end))
        }
        moments.reserveCapacity(moments.count + 8 * self.transactions.count + 7)
        for (index, transaction) in self.transactions.enumerated() {
            for isActive in [true, false] { add(after: self.chainEnd(from: index, isActive: isActive)) }
            add(transaction.purchaseDate)
            add(transaction.revocationDate)
            add(transaction.signedDate)
            add(self.revocation(of: transaction)?.signedDate)
            add(self.purchaseEnd(of: transaction, rules: rules))
        }
        if let date = self.renewal?.renewalDate { add(after: date) }
        add(self.renewal?.gracePeriodExpiresDate)
        add(self.status?.observation.asOf)
        add((self.status?.observation.asOf).map { $0 + .lateStatus })
    }
}

extension Milliseconds {
    /// How long Apple retries a failed charge.
    static let billingRetry = Milliseconds.days(60)
    /// What status 4 is worth without a date: the shortest grace period Apple offers.
    static let graceWithoutDate = Milliseconds.days(3)
    /// What a status is worth that Apple gave when its bound had passed: Apple knew more than the bound rests on, and is
    /// asked again in that time.
    static let lateStatus = Milliseconds.days(1)
}
