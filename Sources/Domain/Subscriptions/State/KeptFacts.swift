/// What is kept of all facts of a stream, each a maximum: T, R and S.
package struct KeptFacts: Hashable, Sendable {
    /// T: ascending, the newest four.
    package var periods: [KeptPeriod]
    /// R.
    package var renewal: KeptRenewal?
    /// S.
    package var status: KeptStatus?

    package static let periodLimit = 4

    package init(periods: [KeptPeriod] = [], renewal: KeptRenewal? = nil, status: KeptStatus? = nil) {
        self.periods = periods
        self.renewal = renewal
        self.status = status
    }

    package var isEmpty: Bool { self.periods.isEmpty && self.renewal == nil && self.status == nil }

    /// Takes in what arrived together. Commutative, associative and idempotent over any bundles.
    mutating func merge(_ facts: Facts, of kind: StreamKind, source: EventSource) {
        let vouched = source.isAuthoritative(for: kind)
        for transaction in facts.transactions { self.take(transaction, of: kind, vouched: vouched) }
        self.mergeBesidePeriods(facts, vouched: vouched, asOf: .distantFuture)
    }

    /// The same for R and S alone.
    /// - Parameter asOf: renewal infos and statuses signed later are left out.
    mutating func mergeBesidePeriods(_ facts: Facts, vouched: Bool, asOf: Moment) {
        if let renewal = facts.renewal, renewal.signedDate <= asOf {
            if self.renewal?.merge(renewal, vouched: vouched) == nil {
                self.renewal = KeptRenewal(renewal, vouched: vouched)
            }
        }
        if let observation = facts.status, observation.asOf <= asOf {
            let kept = KeptStatus(observation, with: facts.transactions)
            self.status = self.status.map { max($0, kept) } ?? kept
        }
    }

    /// An evicted period ranks below four others for good, because its rank is what identifies it.
    private mutating func take(_ transaction: TransactionInfo, of kind: StreamKind, vouched: Bool) {
        let rank = transaction.rank
        let index =
            kind == .purchase ? self.periods.indices.first : self.periods.lastIndex { $0.rank <= rank }
        if let index, kind == .purchase || self.periods[index].rank == rank {
            self.periods[index].merge(transaction, vouched: vouched, of: kind)
        } else if index != nil || self.periods.count < Self.periodLimit {
            self.periods.insert(KeptPeriod(transaction, vouched: vouched), at: index.map { $0 + 1 } ?? 0)
            if self.periods.count > Self.periodLimit { self.periods.removeFirst() }
        }
    }

    /// The period of `transaction`, if it is kept.
    func period(of transaction: TransactionInfo, in kind: StreamKind) -> KeptPeriod? {
        guard kind != .purchase else { return self.periods.first }
        let rank = transaction.rank
        return self.periods.last { $0.rank == rank }
    }

    /// Whether a period that is kept was paid by what paid for `transaction`, though the two may name another purchase
    /// date, or only one of them a line item: newness is a matter of the payment, never of an id.
    func hasPayment(of transaction: TransactionInfo) -> Bool {
        let (rank, item) = (transaction.rank, transaction.lineItem)
        return self.periods.contains { period in
            let other = period.info.lineItem
            if let item, let other, item == other { return true }
            if item == nil || other == nil, period.rank.purchaseDate == rank.purchaseDate { return true }
            return period.isOf(transaction.transactionID)
        }
    }

    /// Of the newest payload.
    package var newestPlace: FactPlace { self.periods.last.map { FactPlace($0.info) } ?? .lowest }

    /// The newest signature among the kept facts.
    var watermark: Moment? {
        var newest = self.periods.lazy.map(\.info.signedDate).max()
        for date in [self.renewal?.info.signedDate, self.status?.observation.asOf] {
            if let date { newest = max(newest ?? date, date) }
        }
        return newest
    }
}

extension EventSource {
    /// Apple itself told us, unasked or asked for the present state. A client may be old or hostile, and a history
    /// answer may leave out what came later: neither ends access alone. But of a purchase Apple tells nothing else
    /// when asked than the history.
    func isAuthoritative(for kind: StreamKind) -> Bool {
        switch self {
        case .notification, .statuses: true
        case .history: kind == .purchase
        case .client, .timer, .person, .rules: false
        }
    }
}
