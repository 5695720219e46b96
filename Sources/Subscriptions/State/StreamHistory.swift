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
        let events = self.events.lazy.filter { $0.at <= knownAt }.map(\.event)
        var state = StreamState(key: self.key)
        var signed = KeptFacts()
        for event in events {
            state.apply(event, asOf: moment)
            signed.merge(
                event.facts.signed(by: moment), of: self.key.kind, source: event.source, limit: .max, asOf: moment)
        }
        guard !signed.isEmpty || state.facts.periods.contains(where: { $0.rank.purchaseDate <= moment }) else {
            return nil
        }
        TakenBackRevocations(events, of: self.key.kind).restore(in: &state.facts, at: moment)
        state.facts.judgeStatus(by: signed, at: moment)
        return state.snapshot(at: moment, rules: rules)
    }
}

extension StreamState {
    /// Folds one event without forgetting any period, and without what was signed about renewals after `moment`.
    fileprivate mutating func apply(_ event: SubscriptionEvent, asOf moment: Moment) {
        var event = event
        let facts = event.facts
        event.facts = Facts()
        self.apply(event)
        self.facts.merge(facts, of: self.key.kind, source: event.source, limit: .max, asOf: moment)
    }
}

extension Facts {
    fileprivate func signed(by moment: Moment) -> Facts {
        var facts = self
        facts.transactions.removeAll { $0.signedDate > moment }
        return facts
    }
}

extension KeptFacts {
    /// Whether Apple's status held at `moment` is a matter of what had been signed by then.
    /// - Parameter signed: what had been.
    fileprivate mutating func judgeStatus(by signed: KeptFacts, at moment: Moment) {
        guard let status = self.status else { return }
        // That a period was signed again later, with the same end, does not make its end younger.
        var earlier = signed.periods[...]
        for place in self.periods.indices where self.periods[place].info.signedDate > moment {
            let rank = self.periods[place].rank
            earlier = earlier.drop { $0.rank < rank }
            guard let period = earlier.first, period.rank == rank else { continue }
            let (old, new) = (period.shown, self.periods[place].shown)
            guard old.expiresDate == new.expiresDate, old.revocationDate == new.revocationDate else { continue }
            self.periods[place].info.signedDate = old.signedDate
        }
        // Nor did a newer transaction speak against what Apple answered, before it was signed.
        if let unsigned = status.observation.unsigned, let newest = signed.periods.last,
            newest.rank.purchaseDate <= unsigned.purchaseDate ?? .distantPast
        {
            self.status?.observation.unsigned = nil
        }
    }
}
