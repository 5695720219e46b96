extension StreamState {
    /// The events a bundle adds. Depends on nothing but the state, the bundle and the rules; refuses no verified fact.
    ///
    /// A notification gives at least one event. An API answer or a client's post that says nothing new gives none, or
    /// one `confirmed` a day; when it gives none, the caller raises the watermarks by `merging`. The event that holds
    /// the bundle's facts comes first; it, and no other, stands for the bundle's `dedupKey`.
    package func decide(_ bundle: FactBundle, rules: DerivationRules) -> [SubscriptionEvent] {
        var next = self
        next.facts.merge(bundle.facts, of: self.key.kind, source: bundle.source)
        next.leads.merge(bundle.facts.transactions)
        var events = [SubscriptionEvent]()
        if bundle.notification != nil || self.isNews(bundle.facts, merged: next, rules: rules) {
            let derivation = next.derivation(rules)
            let detection = ChangeDetection(
                before: self, after: next, derivation: derivation, bundle: bundle, rules: rules)
            events.append(bundle.event(detection.changes()))
            events += self.unrecordedFacts()
            if let anomaly = next.statusAnomaly(since: self, derivation) { events.append(anomaly) }
            if let anomaly = self.typeAnomaly(bundle) { events.append(anomaly) }
        } else if bundle.source == .statuses || bundle.source == .history, next.facts != self.facts,
            bundle.signedDate.day > self.confirmedDay ?? .min
        {
            events.append(bundle.event([.confirmed]))
        }
        return events
    }

    /// Whether a bundle says what the kept facts do not, leaving out when it was signed.
    private func isNews(_ facts: Facts, merged next: StreamState, rules: DerivationRules) -> Bool {
        let held = facts.transactions.allSatisfy { new in
            self.facts.period(of: new, in: self.key.kind)?.holds(new, of: self.key.kind) ?? false
        }
        guard held, facts.renewal == nil || facts.renewal?.content == self.facts.renewal?.info.content,
            facts.status == nil || facts.status?.content == self.facts.status?.observation.content
        else { return true }
        if next.leads != self.leads, !self.leads.follows(from: next.facts, next.leads) { return true }
        return self.phases(from: .distantPast, rules: rules) != next.phases(from: .distantPast, rules: rules)
    }

    /// What `merging` raised without an event, so that a replay of the log gives this very state.
    private func unrecordedFacts() -> [SubscriptionEvent] {
        guard self.hasUnrecordedFacts else { return [] }
        return self.facts.payloads.map { source, facts in
            SubscriptionEvent(
                facts: facts, source: source, changes: [.watermarksRaised], signedDate: self.facts.watermark)
        }
    }

    /// A product type that Apple had not documented, the first time that this stream has it.
    private func typeAnomaly(_ bundle: FactBundle) -> SubscriptionEvent? {
        let known = self.facts.periods.last?.info.productType
        guard
            let new = bundle.facts.transactions.first(where: { $0.productType != known && $0.hasUnknownType }),
            let type = new.productType, !self.facts.periods.contains(where: { $0.info.productType == type })
        else { return nil }
        return SubscriptionEvent(
            source: bundle.source, changes: [.anomaly], signedDate: bundle.signedDate,
            detail: "the product type \"\(type)\" is unknown here: it entitles as others of its kind do.")
    }

    /// Rules 4 to 9 against Apple's own status, at the moment it was given.
    private func statusAnomaly(since before: StreamState, _ derivation: Derivation?) -> SubscriptionEvent? {
        guard self.key.kind == .subscription, let status = self.facts.status, status != before.facts.status,
            let derivation
        else { return nil }
        let asOf = status.observation.asOf
        let known = derivation.known
        let derived = known.factVerdict(at: asOf, end: known.end(at: asOf).moment, rules: derivation.rules)
        guard derived.state != status.observation.status.state else { return nil }
        return SubscriptionEvent(
            source: status.observation.unsigned == nil ? .notification : .statuses, changes: [.anomaly],
            signedDate: asOf,
            detail:
                "Apple's status \(status.observation.status.rawValue), "
                + "but by rule \(derived.rule) \(derived.state.rawValue)."
        )
    }
}

extension AppleStatus {
    /// The state Apple's number stands for; nil outside 1…5.
    package var state: LifecycleState? {
        switch self {
        case .active: .subscribed
        case .expired: .expired
        case .billingRetry: .retry
        case .billingGracePeriod: .grace
        case .revoked: .revoked
        default: nil
        }
    }
}

extension FactBundle {
    fileprivate func event(_ changes: [Change]) -> SubscriptionEvent {
        SubscriptionEvent(
            facts: self.facts, source: self.source, changes: changes, signedDate: self.signedDate,
            notification: self.notification, record: self.record, contentDigest: self.contentDigest)
    }
}
