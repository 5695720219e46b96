/// What is kept of all facts of a stream, each a maximum: T, R and S.
package struct KeptFacts: Hashable, Sendable {
    /// T: ascending by (purchaseDate, transactionId), the greatest four.
    package var transactions: [KeptTransaction]
    /// R.
    package var renewal: KeptRenewal?
    /// S.
    package var status: KeptStatus?

    package static let transactionLimit = 4

    package init(transactions: [KeptTransaction] = [], renewal: KeptRenewal? = nil, status: KeptStatus? = nil) {
        self.transactions = transactions
        self.renewal = renewal
        self.status = status
    }

    package var isEmpty: Bool { self.transactions.isEmpty && self.renewal == nil && self.status == nil }

    /// Takes in what arrived together. Commutative, associative and idempotent over any bundles.
    /// - Parameter asOf: renewal infos and statuses signed later are left out.
    mutating func merge(
        _ facts: Facts, of kind: StreamKind, source: EventSource, limit: Int = Self.transactionLimit,
        asOf: Moment = .distantFuture
    ) {
        let vouched = source.isAuthoritative(for: kind)
        for transaction in facts.transactions { self.take(transaction, vouched: vouched, limit: limit) }
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

    /// An evicted transaction ranks below four others for good, because its rank is part of what identifies it.
    private mutating func take(_ transaction: TransactionInfo, vouched: Bool, limit: Int) {
        let rank = transaction.rank
        let index = self.transactions.lastIndex { $0.rank <= rank }
        if let index, self.transactions[index].rank == rank {
            self.transactions[index].merge(transaction, vouched: vouched)
        } else if index != nil || self.transactions.count < limit {
            let kept = KeptTransaction(transaction, vouched: vouched)
            self.transactions.insert(kept, at: index.map { $0 + 1 } ?? 0)
            if self.transactions.count > limit { self.transactions.removeFirst() }
        }
    }

    /// The newest signature among the kept facts.
    var watermark: Moment? {
        var newest = self.transactions.lazy.map(\.info.signedDate).max()
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
        case .client, .timer: false
        }
    }
}
