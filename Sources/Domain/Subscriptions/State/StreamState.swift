/// The fold of one stream: of a subscription, a purchase or a record. It keeps maxima only, so neither the order nor
/// the repetition of what arrived can show in it, and it stays below 4 KB whatever the history.
package struct StreamState: Hashable, Sendable {
    /// Raised whenever the same log may lead to another answer; the state row carries it.
    package static let logicVersion = 6

    package let key: StreamKey
    package var facts: KeptFacts
    /// What leads from the stream to a customer.
    package var leads: StreamLeads
    /// The newest day (since 1970, UTC, of the signature) for which a `confirmed` event is in the log.
    package var confirmedDay: Int64?
    /// `merging` has raised watermarks that no event holds. The next event is followed by one that does.
    package var hasUnrecordedFacts: Bool

    package init(key: StreamKey) {
        self.init(key: key, facts: KeptFacts(), leads: StreamLeads(), confirmedDay: nil, hasUnrecordedFacts: false)
    }

    /// A state as it was stored.
    package init(
        key: StreamKey, facts: KeptFacts, leads: StreamLeads, confirmedDay: Int64?, hasUnrecordedFacts: Bool
    ) {
        self.key = key
        self.facts = facts
        self.leads = leads
        self.confirmedDay = confirmedDay
        self.hasUnrecordedFacts = hasUnrecordedFacts
    }

    /// Folds one recorded event. Announcements bring no facts and change no answer.
    package mutating func apply(_ event: SubscriptionEvent) {
        self.facts.merge(event.facts, of: self.key.kind, source: event.source)
        self.leads.apply(event, newest: self.facts.newestPlace)
        switch event.kind {
        case .confirmed:
            if let day = event.signedDate?.day { self.confirmedDay = max(self.confirmedDay ?? day, day) }
        case .watermarksRaised:
            self.hasUnrecordedFacts = false
        default:
            break
        }
    }

    /// The state with facts that no event records, because `decide` found nothing new in them: only watermarks rise.
    package func merging(_ facts: Facts, source: EventSource) -> StreamState {
        var next = self
        next.facts.merge(facts, of: self.key.kind, source: source)
        next.leads.merge(facts.transactions)
        if next.facts != self.facts { next.hasUnrecordedFacts = true }
        return next
    }
}
