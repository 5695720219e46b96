/// Facts and rules, ready for questions about any moment.
struct Derivation {
    let key: StreamKey
    let rules: DerivationRules
    let known: FactView
    /// The same with unvouched endings left out, the fuller view first; empty when there are none.
    private let protected: [FactView]

    init(_ facts: KeptFacts, of key: StreamKey, rules: DerivationRules) {
        self.key = key
        self.rules = rules
        let known = FactView(facts, of: key, endings: .all)
        self.known = known
        let others: [FactView.Endings] = facts.areVouched ? [] : [.vouched, .vouchedPurchase]
        self.protected = others.map { FactView(facts, of: key, endings: $0) }.filter { $0 != known }
    }

    func verdict(at moment: Moment) -> Verdict {
        self.decision(at: moment).verdict
    }

    /// The answer, and the view of the facts that gives it.
    func decision(at moment: Moment) -> (verdict: Verdict, view: FactView) {
        let verdict = self.known.verdict(at: moment, rules: self.rules)
        guard !verdict.entitled else { return (verdict, self.known) }
        for view in self.protected {
            var other = view.verdict(at: moment, rules: self.rules)
            guard other.entitled else { continue }
            (other.incomplete, other.isProtected) = (true, true)
            return (other, view)
        }
        return (verdict, self.known)
    }

    /// Every moment at which the answer may change by itself, ascending.
    var boundaries: [Moment] {
        var moments: [Moment] = []
        self.known.addBoundaries(to: &moments, rules: self.rules)
        for view in self.protected { view.addBoundaries(to: &moments, rules: self.rules) }
        moments.sort()
        var boundaries: [Moment] = []
        boundaries.reserveCapacity(moments.count)
        for moment in moments where moment < .distantFuture && moment != boundaries.last { boundaries.append(moment) }
        return boundaries
    }
}
