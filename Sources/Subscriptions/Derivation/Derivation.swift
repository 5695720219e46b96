/// Facts and rules, ready for questions about any moment.
struct Derivation {
    let key: StreamKey
    let rules: DerivationRules
    let known: FactView
    /// The same with unvouched endings left out; nil when there are none.
    let protected: FactView?

    init(_ facts: KeptFacts, of key: StreamKey, rules: DerivationRules) {
        self.key = key
        self.rules = rules
        self.known = FactView(facts, of: key, endings: .all)
        let protected = FactView(facts, of: key, endings: .vouched)
        self.protected = protected == self.known ? nil : protected
    }

    func verdict(at moment: Moment) -> Verdict {
        let verdict = self.known.verdict(at: moment, rules: self.rules)
        guard !verdict.entitled, var other = self.protected?.verdict(at: moment, rules: self.rules), other.entitled
        else {
            return verdict
        }
        (other.incomplete, other.isProtected) = (true, true)
        return other
    }

    /// Every moment after `moment` at which the answer may change by itself, ascending.
    func boundaries(after moment: Moment) -> [Moment] {
        let all = self.known.boundaries(rules: self.rules) + (self.protected?.boundaries(rules: self.rules) ?? [])
        return Set(all).filter { $0 > moment && $0 < .distantFuture }.sorted()
    }

    /// When access that runs at `moment` ends if nothing more is heard: `end` + leeway if it may renew, `end` if
    /// auto-renew is off, the grace date in grace. nil for a purchase without end.
    func accessEnd(after moment: Moment) -> Moment? {
        self.boundaries(after: moment).first { !self.verdict(at: $0).entitled }
    }
}
