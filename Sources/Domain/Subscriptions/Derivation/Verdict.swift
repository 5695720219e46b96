/// What the rules say of one moment.
struct Verdict: Hashable {
    /// The number of the rule that decided; 0 for purchases.
    var rule: Int
    var state: LifecycleState
    var entitled: Bool
    var awaitingRenewal = false
    var incomplete = false
    /// Apple's status decides although its bound had passed when it was given.
    var isLate = false
    /// An ending that nobody vouches for has been left out.
    var isProtected = false

    init(rule: Int, _ state: LifecycleState, awaitingRenewal: Bool = false) {
        self.rule = rule
        self.state = state
        self.entitled = state == .subscribed || state == .grace || state == .owned
        self.awaitingRenewal = awaitingRenewal
    }
}
