/// The kept facts as the nine rules look at them (catalog page StateMachine): rules 1 and 2 are here, 3 to 9 in
/// `FactView+Verdict`.
struct FactView: Hashable {
    let kind: StreamKind
    let environment: AppStoreEnvironment
    /// Ascending by (purchaseDate, transactionId), each transaction once.
    let transactions: [TransactionInfo]
    let renewal: RenewalInfo?
    let status: KeptStatus?
    /// Of the revoked transactions of each period the one revoked first: a revocation of one counts for all.
    private let revocations: [Period: TransactionInfo]

    enum Endings {
        case all
        /// Only those that an authoritative source vouches for.
        case vouched
        /// These, and nothing replaces the newest transaction that an authoritative source has vouched for.
        case vouchedPurchase
    }

    init(_ facts: KeptFacts, of key: StreamKey, endings: Endings) {
        self.kind = key.kind
        self.environment = key.environment
        let kept =
            switch endings {
            case .all: facts.transactions
            case .vouched: facts.transactionsSeenRunning
            case .vouchedPurchase: facts.transactionsUpToVouched
            }
        self.transactions = kept.newestVersions.map { endings == .all ? $0.info : $0.infoWithVouchedEnd }
        self.renewal = endings == .all ? facts.renewal?.info : facts.renewal?.infoWithVouchedEnd
        self.status = facts.status
        var revocations = [Period: TransactionInfo]()
        for transaction in self.transactions {
            guard let date = transaction.revocationDate else { continue }
            let period = Period(transaction, of: key.kind)
            if let earlier = revocations[period]?.revocationDate, earlier <= date { continue }
            revocations[period] = transaction
        }
        self.revocations = revocations
    }

    /// What a payment is for. Transactions that share it are one: restored copies of a period, or of a purchase.
    private enum Period: Hashable {
        case lineItem(String)
        case transaction(TransactionID)
        case purchase

        init(_ transaction: TransactionInfo, of kind: StreamKind) {
            if kind == .purchase {
                self = .purchase
            } else if let item = transaction.webOrderLineItemID {
                self = .lineItem(item)
            } else {
                self = .transaction(transaction.transactionID)
            }
        }
    }

    /// The transaction by which this one's period was revoked first.
    func revocation(of transaction: TransactionInfo) -> TransactionInfo? {
        self.revocations.isEmpty ? nil : self.revocations[Period(transaction, of: self.kind)]
    }

    // MARK: Rule 1

    /// `cur`: the newest purchase that is not in the future, else the earliest known.
    func currentIndex(at moment: Moment) -> Int? {
        self.transactions.lastIndex { $0.rank.purchaseDate <= moment } ?? self.transactions.indices.first
    }

    func current(at moment: Moment) -> TransactionInfo? { self.currentIndex(at: moment).map { self.transactions[$0] } }

    /// The newest transaction was replaced by an upgrade whose own transaction is not known.
    var lacksUpgrade: Bool { self.transactions.last?.isUpgraded == true }

    // MARK: Rule 2

    /// `end` of the unbroken chain of periods that starts at `index`. A revoked period is paid until it was revoked,
    /// but the first one to its end while Apple says that it is active.
    func chainEnd(from index: Int, isActive: Bool) -> Moment {
        let first = self.transactions[index]
        return self.chainEnd(from: index, first: isActive ? first.paidEnd : self.ownEnd(of: first)) {
            self.ownEnd(of: $0)
        }
    }

    /// - Parameters:
    ///   - end: of the period at `index`.
    ///   - ownEnd: of each further period.
    private func chainEnd(from index: Int, first end: Moment, _ ownEnd: (TransactionInfo) -> Moment) -> Moment {
        var end = end
        for next in self.transactions[(index + 1)...] {
            guard next.rank.purchaseDate <= end else { break }
            end = max(end, ownEnd(next))
        }
        return end
    }

    private func ownEnd(of transaction: TransactionInfo) -> Moment {
        min(transaction.paidEnd, self.revocation(of: transaction)?.revocationDate ?? transaction.paidEnd)
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
        return date <= self.chainEnd(from: index, first: self.transactions[index].paidEnd, \.paidEnd)
    }
}

extension TransactionInfo {
    fileprivate var paidEnd: Moment { self.expiresDate ?? self.rank.purchaseDate }
}

extension [KeptTransaction] {
    /// Each transaction once: of two purchase dates under one id the newer signed.
    fileprivate var newestVersions: [KeptTransaction] {
        let isEachOnce = self.indices.allSatisfy { place in
            !self[..<place].contains { $0.info.transactionID == self[place].info.transactionID }
        }
        guard !isEachOnce else { return self }
        return self.filter { kept in
            !self.contains {
                $0.info.transactionID == kept.info.transactionID
                    && (kept.info.signedDate, kept.info.digest) < ($0.info.signedDate, $0.info.digest)
            }
        }
    }
}
