/// The whole log of one stream, for questions about the past.
package struct StreamHistory: Sendable {
    private let key: StreamKey
    private let events: [(at: Moment, event: SubscriptionEvent)]

    /// - Parameter events: with the moment each was recorded.
    package init(key: StreamKey, events: [(at: Moment, event: SubscriptionEvent)]) {
        self.key = key
        self.events = events
    }

    /// What was true at `moment`, by all the log holds: every period in its newest version, and the newest renewal info and
    /// status signed no later than `moment`. A revocation that was taken back counts from its date until it was taken back.
    /// nil before the first fact.
    package func snapshot(at moment: Moment, rules: DerivationRules) -> SubscriptionSnapshot? {
        self.snapshot(at: moment, knownAt: .distantFuture, rules: rules)
    }

    /// The same over the events recorded by `knownAt`: with both moments equal, what we would have answered then.
    package func snapshot(at moment: Moment, knownAt: Moment, rules: DerivationRules) -> SubscriptionSnapshot? {
        var state = StreamState(key: self.key)
        var collected = CollectedFacts(of: self.key.kind)
        var told: [ToldTransaction] = []
        for place in self.events.indices where self.events[place].at <= knownAt {
            let (facts, source) = (self.events[place].event.facts, self.events[place].event.source)
            collected.merge(facts, source: source, asOf: moment)
            for transaction in facts.transactions { told.append(ToldTransaction(info: transaction, source: source)) }
            state.leads.apply(self.events[place].event, newest: .lowest)
        }
        state.facts = collected.facts
        guard state.facts.began(by: moment, told) else { return nil }
        TakenBackRevocations(told, of: self.key.kind).restore(in: &state.facts, at: moment)
        state.facts.judgeStatus(at: moment, by: told)
        return state.snapshot(at: moment, rules: rules)
    }
}

/// A transaction as an event of the log holds it.
struct ToldTransaction {
    let info: TransactionInfo
    let source: EventSource
}

extension KeptFacts {
    /// Whether anything was bought or signed by `moment`.
    fileprivate func began(by moment: Moment, _ told: [ToldTransaction]) -> Bool {
        self.renewal != nil || self.status != nil || self.periods.contains { $0.info.start <= moment }
            || told.contains { $0.info.signedDate <= moment }
    }

    /// Whether Apple's status held at `moment` is a matter of what had been signed by then.
    fileprivate mutating func judgeStatus(at moment: Moment, by told: [ToldTransaction]) {
        guard let status = self.status else { return }
        // That a period was signed again later, with the same end, does not make its end younger.
        let places = self.periods.indices.filter {
            self.periods[$0].info.signedDate > moment && self.periods[$0].info.start <= moment
        }
        let later = Dictionary(uniqueKeysWithValues: places.map { (self.periods[$0].rank, $0) })
        var signed: [Int: [TransactionInfo]] = [:]
        for transaction in told where status.observation.asOf < transaction.info.signedDate {
            if let place = later[transaction.info.rank] { signed[place, default: []].append(transaction.info) }
        }
        for (place, infos) in signed {
            let end = self.periods[place].info.expiresDate
            let newestFirst = infos.sorted { ($0.signedDate, $0.digest) > ($1.signedDate, $1.digest) }
            guard let first = newestFirst.prefix(while: { $0.expiresDate == end }).last else { continue }
            self.periods[place].info.signedDate = first.signedDate
        }
        // Nor did a newer transaction speak against what Apple had answered, before it was signed.
        if let unsigned = status.observation.unsigned,
            !told.contains(where: {
                $0.info.signedDate <= moment && $0.info.start > unsigned.purchaseDate ?? .distantPast
            })
        {
            self.status?.observation.unsigned = nil
        }
    }
}
