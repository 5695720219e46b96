/// The kept facts as the nine rules look at them (catalog page StateMachine): rules 1 and 2 are here, 3 to 9 in
/// `FactView+Verdict`.
struct FactView: Hashable {
    let kind: StreamKind
    let environment: AppStoreEnvironment
    /// One for each period, ascending: the payload signed last, under the period's first transactionId and with the
    /// revocation of the period.
    let transactions: [TransactionInfo]
    let renewal: RenewalInfo?
    let status: KeptStatus?
    private let revocations: PaymentRevocations
    /// Of `transactions`: rule 2.
    private let chain: PeriodChain

    enum Endings {
        case all
        /// Only those that an authoritative source vouches for.
        case vouched
        /// These, and nothing replaces the newest period that an authoritative source has vouched for.
        case vouchedPurchase
    }

    init(_ facts: KeptFacts, of key: StreamKey, endings: Endings) {
        self.kind = key.kind
        self.environment = key.environment
        let kept =
            switch endings {
            case .all: facts.periods
            case .vouched: facts.periodsSeenRunning
            case .vouchedPurchase: facts.periodsUpToVouched
            }
        var transactions: [TransactionInfo] = []
        transactions.reserveCapacity(kept.count)
        var revocations = PaymentRevocations(of: key.kind)
        func add(_ period: KeptPeriod, by versions: [KeptVersion]? = nil) {
            let (info, revoking) = period.look(by: versions, onlyVouched: endings != .all)
            transactions.append(info)
            guard info.revocationDate != nil else { return }
            revocations.add(revoking.map(info.named) ?? info, to: info)
        }
        if kept.isEachTransactionOnce {
            for period in kept { add(period) }
        } else {
            for (period, versions) in kept.withNewestVersions { add(period, by: versions) }
        }
        self.transactions = transactions
        self.renewal = endings == .all ? facts.renewal?.info : facts.renewal?.infoWithVouchedEnd
        self.status = facts.status
        self.revocations = revocations
        self.chain = PeriodChain(transactions.lazy.map { ($0.start, $0.ownEnd(revokedBy: revocations)) })
    }

    /// The transaction by which this one's payment was revoked first.
    func revocation(of transaction: TransactionInfo) -> TransactionInfo? {
        self.revocations.revocation(of: transaction)
    }

    // MARK: Rule 1

    /// `cur`: the newest purchase that is not in the future, else the earliest known.
    func currentIndex(at moment: Moment) -> Int? {
        var (low, high) = (self.transactions.startIndex, self.transactions.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self.transactions[middle].start <= moment { low = middle + 1 } else { high = middle }
        }
        return low > self.transactions.startIndex ? low - 1 : self.transactions.indices.first
    }

    func current(at moment: Moment) -> TransactionInfo? { self.currentIndex(at: moment).map { self.transactions[$0] } }

    /// The newest transaction was replaced by an upgrade whose own transaction is not known.
    var lacksUpgrade: Bool { self.transactions.last?.isUpgraded == true }

    // MARK: Rule 2

    /// `end` of the unbroken chain of periods that starts at `index`. A revoked period is paid until it was revoked,
    /// but the first one to its end while Apple says that it is active.
    func chainEnd(from index: Int, isActive: Bool) -> Moment {
        let first = self.transactions[index]
        return self.chain.end(
            from: index, first: isActive ? first.paidEnd : first.ownEnd(revokedBy: self.revocations))
    }

    /// `end`, and whether it rests on the renewal info alone, because the transaction it speaks of is not known.
    func end(at moment: Moment) -> (moment: Moment, isFromRenewal: Bool) {
        let isActive = self.standingStatus(at: moment) == .active
        let end = self.currentIndex(at: moment).map { self.chainEnd(from: $0, isActive: isActive) } ?? .distantPast
        // A status that stands is of the renewal info or newer.
        if isActive, let date = self.renewal?.renewalDate, end < date, !self.isKnown(periodUntil: date, at: moment) {
            return (date, true)
        }
        return (end, false)
    }

    /// Whether the periods known reach this far without a gap: that one of them was revoked later does not make it unknown.
    private func isKnown(periodUntil date: Moment, at moment: Moment) -> Bool {
        guard let index = self.currentIndex(at: moment) else { return false }
        var end = self.transactions[index].paidEnd
        for next in self.transactions[(index + 1)...] {
            if date <= end || next.start > end { break }
            end = max(end, next.paidEnd)
        }
        return date <= end
    }
}

extension TransactionInfo {
    fileprivate var paidEnd: Moment { self.expiresDate ?? self.start }

    fileprivate func ownEnd(revokedBy revocations: PaymentRevocations) -> Moment {
        min(self.paidEnd, revocations.revocation(of: self)?.revocationDate ?? self.paidEnd)
    }

    /// With the id and the signature of the transaction that has been revoked.
    fileprivate func named(_ version: KeptVersion) -> TransactionInfo {
        var named = self
        if named.transactionID != version.transactionID { named.transactionID = version.transactionID }
        if named.signedDate != version.signedDate { named.signedDate = version.signedDate }
        return named
    }
}

extension [KeptPeriod] {
    /// Each period with the versions of its transactions, and each transaction once: were one `transactionId` ever signed
    /// with two purchase dates or line items, the newest version counts, wherever it was filed, and knows of the others.
    fileprivate var withNewestVersions: [(period: KeptPeriod, versions: [KeptVersion])] {
        let all = self.map { (period: $0, versions: $0.allVersions) }
        var newest: [TransactionID: (place: Int, version: KeptVersion)] = [:]
        for (place, entry) in all.enumerated() {
            for version in entry.versions {
                guard let other = newest[version.transactionID] else {
                    newest[version.transactionID] = (place, version)
                    continue
                }
                var merged = other.version
                merged.merge(version)
                newest[version.transactionID] = (other.version < version ? place : other.place, merged)
            }
        }
        return all.enumerated().compactMap { place, entry in
            let versions = entry.versions.compactMap { version in
                newest[version.transactionID].flatMap { $0.place == place ? $0.version : nil }
            }
            return versions.isEmpty ? nil : (entry.period, versions)
        }
    }

    /// Few are compared with each other; more are hashed.
    fileprivate var isEachTransactionOnce: Bool {
        guard self.count <= KeptFacts.periodLimit else {
            var ids = Set<TransactionID>()
            return self.allSatisfy { $0.allVersions.allSatisfy { ids.insert($0.transactionID).inserted } }
        }
        return self.indices.allSatisfy { place in
            !self[..<place].contains { self[place].sharesTransaction(with: $0) }
        }
    }
}
