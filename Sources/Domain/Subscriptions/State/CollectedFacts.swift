/// All facts of a log, for questions about its past: no period is forgotten, and none costs more for coming late.
struct CollectedFacts {
    private let kind: StreamKind
    /// Ascending: those that came after all before them, as most do.
    private var periods: [KeptPeriod] = []
    /// Of the last of these.
    private var newest: PeriodID?
    /// The others.
    private var late: [PeriodID: KeptPeriod] = [:]
    /// Without periods.
    private var others = KeptFacts()

    init(of kind: StreamKind) { self.kind = kind }

    /// - Parameter moment: renewal infos and statuses signed later are left out.
    mutating func merge(_ facts: Facts, source: EventSource, asOf moment: Moment = .distantFuture) {
        for transaction in facts.transactions { self.take(transaction, source: source) }
        let vouched = source.isAuthoritative(for: self.kind)
        self.others.mergeBesidePeriods(facts, vouched: vouched, asOf: moment)
    }

    mutating func take(_ transaction: TransactionInfo, source: EventSource) {
        let vouched = source.isAuthoritative(for: self.kind)
        let id = transaction.rank
        if let place = self.place(of: id) {
            self.periods[place].merge(transaction, vouched: vouched, of: self.kind)
        } else if self.newest.map({ $0 < id }) ?? true {
            self.periods.append(KeptPeriod(transaction, vouched: vouched))
            self.newest = id
        } else if self.late[id]?.merge(transaction, vouched: vouched, of: self.kind) == nil {
            self.late[id] = KeptPeriod(transaction, vouched: vouched)
        }
    }

    /// In `periods`. All transactions of a one-time purchase are of one.
    private func place(of id: PeriodID) -> Int? {
        guard let newest, self.kind != .purchase else { return self.periods.indices.first }
        guard id < newest else { return id == newest ? self.periods.count - 1 : nil }
        var (low, high) = (0, self.periods.count)
        while low < high {
            let middle = (low + high) / 2
            if self.periods[middle].rank < id { low = middle + 1 } else { high = middle }
        }
        return self.periods[low].rank == id ? low : nil
    }

    /// With every period.
    var facts: KeptFacts {
        var facts = self.others
        facts.periods = self.periods
        guard !self.late.isEmpty else { return facts }
        let all = self.periods.map { (id: $0.rank, period: $0) } + self.late.map { (id: $0.key, period: $0.value) }
        facts.periods = all.sorted { $0.id < $1.id }.map(\.period)
        return facts
    }
}
