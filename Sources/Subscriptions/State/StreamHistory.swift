/// The whole log of one stream, for questions about the past.
package struct StreamHistory: Sendable {
    private let key: StreamKey
    private let events: [(at: Moment, event: SubscriptionEvent)]

    /// - Parameter events: with the moment each was recorded.
    package init(key: StreamKey, events: [(at: Moment, event: SubscriptionEvent)]) {
        self.key = key
        self.events = events
    }

    /// What was true at `moment`, by all the log holds: every period in its newest version, and the newest renewal
    /// info and status signed no later than `moment`. nil before the first fact.
    package func snapshot(at moment: Moment, rules: DerivationRules) -> SubscriptionSnapshot? {
        self.snapshot(at: moment, knownAt: .distantFuture, rules: rules)
    }

    /// The same over the events recorded by `knownAt`: with both moments equal, what we would have answered then.
    package func snapshot(at moment: Moment, knownAt: Moment, rules: DerivationRules) -> SubscriptionSnapshot? {
        var state = StreamState(key: self.key)
        for (at, event) in self.events where at <= knownAt {
            state.apply(event, asOf: moment)
        }
        guard state.facts.began(by: moment) else { return nil }
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

extension KeptFacts {
    /// Whether anything was bought or signed by `moment`.
    fileprivate func began(by moment: Moment) -> Bool {
        self.renewal != nil || self.status != nil
            || self.periods.contains { min($0.rank.purchaseDate, $0.info.signedDate) <= moment }
    }
}
