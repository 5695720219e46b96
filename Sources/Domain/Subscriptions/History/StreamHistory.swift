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
        self.state(at: moment, knownAt: knownAt, ledAt: .distantFuture)?.snapshot(at: moment, rules: rules)
    }

    /// The state whose answer for `moment` is that of `snapshot`. Do not ask it about other moments.
    /// - Parameter ledAt: whose the stream is goes by what was recorded by then, and by tokens of what had been bought by then.
    package func state(at moment: Moment, knownAt: Moment, ledAt: Moment) -> StreamState? {
        var state = StreamState(key: self.key)
        var collected = CollectedFacts(of: self.key.kind)
        var told: [ToldTransaction] = []
        var newest = FactPlace.lowest
        for (at, event) in self.events where at <= knownAt {
            collected.merge(event.facts, source: event.source, asOf: moment)
            for transaction in event.facts.transactions {
                told.append(ToldTransaction(info: transaction, source: event.source))
            }
            let leading = event.leading(at: ledAt, recordedAt: at)
            newest = leading.facts.transactions.map(FactPlace.init).reduce(newest, max)
            state.leads.apply(leading, newest: newest)
        }
        state.facts = collected.facts
        guard state.facts.began(by: moment, told) else { return nil }
        TakenBackRevocations(told, of: self.key.kind).restore(in: &state.facts, at: moment)
        state.facts.judgeStatus(at: moment, by: told)
        return state
    }
}

extension SubscriptionEvent {
    /// What it says by `moment` of whose the stream is.
    fileprivate func leading(at moment: Moment, recordedAt: Moment) -> SubscriptionEvent {
        guard moment < recordedAt else { return self }
        var event = self
        event.facts.transactions.removeAll { moment < $0.start }
        (event.link, event.customerID, event.successor) = (nil, nil, nil)
        return event
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
