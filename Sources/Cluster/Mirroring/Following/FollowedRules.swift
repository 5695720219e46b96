import WireProtocol

/// By what rules each node answers for customers, and which nodes have to be asked. Of nodes that differ, the one whose rules
/// changed last counts.
struct FollowedRules {
    /// As its heads name them.
    private var announced: [SourceID: UInt32] = [:]
    private var known: [SourceID: UInt32] = [:]
    private var pauses: [SourceID: ContinuousClock.Instant] = [:]
    /// Those that were told last.
    private var present: UInt32?

    mutating func see(_ beat: StreamBeat, from source: SourceID) {
        guard let number = beat.heads.first?.customerRules, number != 0 else { return }
        self.announced[source] = number
        // Somebody else has them.
        if self.known[source] == nil, number == self.present { self.known[source] = number }
    }

    func unknown(at now: ContinuousClock.Instant) -> [SourceID] {
        self.announced.filter { source, number in
            self.known[source] != number && self.pauses[source].map { $0 <= now } ?? true
        }.map(\.key)
    }

    func isNews(_ rules: NumberedRules) -> Bool { rules.fingerprint != self.present }

    mutating func note(_ rules: NumberedRules, of source: SourceID) {
        self.known[source] = rules.fingerprint
        self.present = rules.fingerprint
        self.pauses[source] = nil
    }

    mutating func pause(_ source: SourceID, until moment: ContinuousClock.Instant) { self.pauses[source] = moment }

    /// Its connection is gone: it may come back with others.
    mutating func forget(_ source: SourceID) {
        self.announced[source] = nil
        self.pauses[source] = nil
    }
}
