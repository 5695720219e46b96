/// What one state answers at any moment. Its questions share the work of deriving: whoever has several asks one
/// outlook.
package struct Outlook: Sendable {
    private let derivation: Derivation
    private let customerIDs: [String]
    private let successor: OriginalTransactionID?
    /// Every moment at which an answer may change by itself, ascending.
    private let boundaries: [Moment]

    /// nil before the first fact, and for records.
    package init?(_ state: StreamState, rules: DerivationRules) {
        guard let derivation = state.derivation(rules) else { return nil }
        self.derivation = derivation
        let customers = state.leads.holdingCustomers
        self.customerIDs = customers.isEmpty ? [] : customers.map(\.rawValue)
        self.successor = state.leads.successors.max { $0.place < $1.place }?.value
        self.boundaries = derivation.boundaries
    }

    /// What is true at `moment` by the kept facts.
    package func snapshot(at moment: Moment) -> SubscriptionSnapshot {
        let verdict = self.derivation.verdict(at: moment)
        // `end` + leeway if it may renew, `end` if auto-renew is off, the grace date in grace; nil for a purchase
        // without end.
        let end = verdict.entitled ? self.boundaries(after: moment).first { !self.verdict(at: $0).entitled } : nil
        return self.snapshot(at: moment, verdict, validUntil: end)
    }

    private func snapshot(at moment: Moment, _ verdict: Verdict, validUntil end: Moment?) -> SubscriptionSnapshot {
        var snapshot = self.derivation.snapshot(
            at: moment, verdict, validUntil: end, customerIDs: self.customerIDs)
        snapshot.supersededBy = self.successor
        return snapshot
    }

    /// What will be if nothing more is heard. The first phase starts at `moment`.
    package func phases(from moment: Moment) -> [Phase] {
        var phases = [Phase]()
        var accessEnd: Moment?
        for start in ([moment] + self.boundaries(after: moment)).reversed() {
            let verdict = self.verdict(at: start)
            if !verdict.entitled { accessEnd = start }
            let snapshot = self.snapshot(
                at: start, verdict, validUntil: verdict.entitled ? accessEnd : nil)
            if phases.last?.snapshot == snapshot { phases.removeLast() }
            phases.append(Phase(from: start, snapshot: snapshot))
        }
        return phases.reversed()
    }

    /// The next change after `moment` that comes by itself. A timer calls `announce` when it is due.
    package func nextTransition(after moment: Moment) -> Transition? {
        var before = (self.verdict(at: moment), self.currentIndex(at: moment))
        for due in self.boundaries(after: moment) {
            let after = (self.verdict(at: due), self.currentIndex(at: due))
            if let name = Change(from: before.0, to: after.0) ?? (before.1 == after.1 ? nil : .periodStarted) {
                return Transition(name: name, due: due)
            }
            before = after
        }
        return nil
    }

    private func boundaries(after moment: Moment) -> ArraySlice<Moment> {
        self.boundaries.drop { $0 <= moment }
    }

    package var key: StreamKey { self.derivation.key }

    func verdict(at moment: Moment) -> Verdict { self.derivation.verdict(at: moment) }

    /// No fact says that the customer had wanted the end.
    func mayHaveRenewed(at moment: Moment) -> Bool {
        self.derivation.known.mayRenew(at: moment, end: self.derivation.known.end(at: moment).moment)
    }

    /// How many were bought at once.
    package func quantity(at moment: Moment) -> Int64 { self.derivation.known.current(at: moment)?.quantity ?? 1 }

    /// How the customer pays for what is given at `moment`.
    package func payment(at moment: Moment) -> Payment? {
        let known = self.derivation.known
        return known.current(at: moment).flatMap { Payment($0, known.renewal, of: self.key.kind) }
    }

    private func currentIndex(at moment: Moment) -> Int? { self.derivation.known.currentIndex(at: moment) }
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
