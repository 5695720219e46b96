extension StreamState {
    /// What is true at `moment` by the kept facts. nil before the first fact, and for records.
    package func snapshot(at moment: Moment, rules: DerivationRules) -> SubscriptionSnapshot? {
        guard let derivation = self.derivation(rules) else { return nil }
        let verdict = derivation.verdict(at: moment)
        return derivation.snapshot(
            at: moment, verdict, validUntil: verdict.entitled ? derivation.accessEnd(after: moment) : nil,
            customerIDs: self.customerIDs)
    }

    /// What will be if nothing more is heard. The first phase starts at `moment`; empty when there is no snapshot.
    package func phases(from moment: Moment, rules: DerivationRules) -> [Phase] {
        guard let derivation = self.derivation(rules) else { return [] }
        var phases = [Phase]()
        var accessEnd: Moment?
        for start in ([moment] + derivation.boundaries(after: moment)).reversed() {
            let verdict = derivation.verdict(at: start)
            if !verdict.entitled { accessEnd = start }
            let snapshot = derivation.snapshot(
                at: start, verdict, validUntil: verdict.entitled ? accessEnd : nil, customerIDs: self.customerIDs)
            if phases.last?.snapshot == snapshot { phases.removeLast() }
            phases.append(Phase(from: start, snapshot: snapshot))
        }
        return phases.reversed()
    }

    /// The next change after `moment` that comes by itself. A timer calls `announce` when it is due.
    package func nextTransition(after moment: Moment, rules: DerivationRules) -> Transition? {
        guard let derivation = self.derivation(rules) else { return nil }
        var before = (derivation.verdict(at: moment), derivation.known.currentIndex(at: moment))
        for due in derivation.boundaries(after: moment) {
            let after = (derivation.verdict(at: due), derivation.known.currentIndex(at: due))
            if let name = Change(from: before.0, to: after.0) ?? (before.1 == after.1 ? nil : .periodStarted) {
                return Transition(name: name, due: due)
            }
            before = after
        }
        return nil
    }

    /// The event of a timer: an announcement, which the fold ignores.
    package func announce(_ transition: Transition) -> SubscriptionEvent {
        SubscriptionEvent(source: .timer, changes: [transition.name], effectiveAt: transition.due)
    }

    func derivation(_ rules: DerivationRules) -> Derivation? {
        guard !self.facts.isEmpty, self.key.kind == .subscription || self.key.kind == .purchase else { return nil }
        return Derivation(self.facts, of: self.key, rules: rules)
    }
}

extension Change {
    /// What happened when time alone turned one verdict into the other; nil when it is the same for users.
    fileprivate init?(from before: Verdict, to after: Verdict) {
        switch (before.state, after.state) {
        case (.grace, .retry), (.grace, .expired): self = .graceExpired
        case (.retry, .expired): self = .retryEnded
        case (let old, let new) where old == new && before.entitled == after.entitled:
            guard !before.awaitingRenewal, after.awaitingRenewal else { return nil }
            self = .awaitingRenewal
        case (_, .subscribed): self = .periodStarted
        case (_, .grace): self = .enteredGrace
        case (_, .retry): self = .enteredRetry
        case (_, .revoked): self = .revoked
        case (_, .expired), (_, .owned): self = .expired
        }
    }
}
