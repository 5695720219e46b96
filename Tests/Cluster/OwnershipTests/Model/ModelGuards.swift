/// The rules that keep the model right, each of which can be taken away.
struct ModelGuards: Hashable, Sendable {
    /// An append needs the shard's epoch, and the run that claimed it.
    var appendsAreFenced = true
    /// An owner asks its lease before an answer leaves.
    var answersNeedTheLease = true
    /// It asks then, and not only when it begins to compute the answer.
    var answersAskAfterwards = true
    /// A lease counts from the sending of the beat, not from when its acknowledgement arrives.
    var leaseCountsFromSending = true
    /// A holder's lease is shorter than the silence of others by what clocks may run apart.
    var leaseAllowsForDrift = true
    /// A beat prolongs only the run that it belongs to, and only while nobody has taken it for dead.
    var beatsNeedTheRun = true
    /// Who takes over answers nothing before the old owner's lease must be over.
    var readsWait = true
    /// Who takes over acknowledges no write before the old owner's lease must be over.
    var writesWait = true
    /// A shard is taken only as it was seen.
    var claimsAreAsSeen = true

    /// Each with what takes it away, and where it is missed.
    static let all: [Guard] = [
        Guard("appends are fenced", \.appendsAreFenced, .takeover),
        Guard("answers need the lease", \.answersNeedTheLease, .takeover),
        Guard("answers ask the lease afterwards", \.answersAskAfterwards, .quietTakeover),
        Guard("the lease counts from the sending", \.leaseCountsFromSending, .takeover),
        Guard("the lease allows for drift", \.leaseAllowsForDrift, .takeover),
        Guard("beats need the run", \.beatsNeedTheRun, .takeover),
        Guard("reads wait", \.readsWait, .takeover),
        Guard("writes wait", \.writesWait, .takeover),
        Guard("claims are as seen", \.claimsAreAsSeen, .comeback),
    ]

    struct Guard: Sendable, CustomStringConvertible {
        let description: String
        let isOn: any WritableKeyPath<ModelGuards, Bool> & Sendable
        let rules: ModelRules

        init(
            _ description: String, _ isOn: any WritableKeyPath<ModelGuards, Bool> & Sendable, _ rules: ModelRules
        ) {
            self.description = description
            self.isOn = isOn
            self.rules = rules
        }
    }
}
