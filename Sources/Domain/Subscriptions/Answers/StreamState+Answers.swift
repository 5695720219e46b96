extension StreamState {
    /// What is true at `moment` by the kept facts. nil before the first fact, and for records.
    package func snapshot(at moment: Moment, rules: DerivationRules) -> SubscriptionSnapshot? {
        Outlook(self, rules: rules)?.snapshot(at: moment)
    }

    /// The state of the snapshot, without the rest of it.
    package func lifecycleState(at moment: Moment, rules: DerivationRules) -> LifecycleState? {
        self.derivation(rules)?.verdict(at: moment).state
    }

    /// What will be if nothing more is heard. The first phase starts at `moment`; empty when there is no snapshot.
    package func phases(from moment: Moment, rules: DerivationRules) -> [Phase] {
        Outlook(self, rules: rules)?.phases(from: moment) ?? []
    }

    /// The next change after `moment` that comes by itself. A timer calls `announce` when it is due.
    package func nextTransition(after moment: Moment, rules: DerivationRules) -> Transition? {
        Outlook(self, rules: rules)?.nextTransition(after: moment)
    }

    /// The event of a timer: an announcement, which the fold ignores.
    package func announce(_ transition: Transition) -> SubscriptionEvent {
        SubscriptionEvent(source: .timer, changes: [transition.name], effectiveAt: transition.due)
    }

    /// How the customer pays at `moment` for what the stream would give then; nil where nothing is charged any more, and for records.
    package func payment(at moment: Moment) -> Payment? {
        guard self.key.kind.givesAccess else { return nil }
        let periods = self.facts.periods
        return (periods.last { $0.info.start <= moment } ?? periods.first).flatMap { period in
            Payment(period.info, self.facts.renewal?.info, of: self.key.kind)
        }
    }

    func derivation(_ rules: DerivationRules) -> Derivation? {
        guard !self.facts.isEmpty, self.key.kind.givesAccess else { return nil }
        return Derivation(self.facts, of: self.key, rules: rules)
    }
}
