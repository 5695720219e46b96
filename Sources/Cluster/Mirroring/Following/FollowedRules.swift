import WireProtocol

/// By what rules each node answers for customers, and which have to be asked for. Of nodes that differ, the one whose rules were told
/// last counts, as long as some node answers by them.
struct FollowedRules {
    /// As the heads of living owners name them.
    private var announced: [SourceID: UInt32] = [:]
    private var told: [UInt32: StreamRules] = [:]
    private var pauses: [SourceID: ContinuousClock.Instant] = [:]
    /// By which the sink answers.
    private var present: UInt32?

    mutating func see(_ beat: StreamBeat, from source: SourceID) {
        let number = beat.heads.first?.customerRules ?? 0
        self.announced[source] = number == 0 ? nil : number
    }

    /// Nodes whose rules nobody has told.
    func unknown(at now: ContinuousClock.Instant) -> [SourceID] {
        self.announced.filter { source, number in
            self.told[number] == nil && self.pauses[source].map { $0 <= now } ?? true
        }.map(\.key)
    }

    /// Rules that are known and have to be taken up, since no node answers by the present ones any more.
    var next: NumberedRules? {
        guard let present, !self.announced.values.contains(present) else { return nil }
        return self.announced.values.lazy.compactMap { number in
            self.told[number].map { NumberedRules(number, $0) }
        }.first
    }

    /// The sink answers by these.
    /// - Parameter source: that has told them; nil for rules that are taken up again.
    mutating func take(_ rules: NumberedRules, from source: SourceID? = nil) {
        if let source { self.pauses[source] = nil }
        self.told[rules.fingerprint] = rules.rules
        self.present = rules.fingerprint
        let named = Set(self.announced.values).union([rules.fingerprint])
        self.told = self.told.filter { named.contains($0.key) }
    }

    mutating func pause(_ source: SourceID, until moment: ContinuousClock.Instant) { self.pauses[source] = moment }

    /// Its connection is gone: it may come back with others.
    mutating func forget(_ source: SourceID) {
        self.announced[source] = nil
        self.pauses[source] = nil
    }
}
