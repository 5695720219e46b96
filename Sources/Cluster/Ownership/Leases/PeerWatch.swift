package import EventLog

/// What a node makes of the others' signs of life, by its own clock alone: silence counts only across readings that
/// followed each other closely.
package struct PeerWatch: Hashable, Sendable {
    private struct Sign: Hashable, Sendable {
        var incarnation: Incarnation
        var beat: Int64
        var lease: Duration
        /// When a reading first showed this beat, in an unbroken series of readings.
        var since: Duration
        /// When a reading first showed this run.
        var firstSeen: Duration
        /// When runs of this node were seen to begin, lately.
        var starts: [Duration]
    }

    private let terms: LeaseTerms
    private var signs: [NodeID: Sign] = [:]
    /// When the last reading was asked for, and when it had arrived.
    private var lastAsked: Duration?
    private var lastArrival = Duration.zero
    private var hints = Suspicions()

    package init(terms: LeaseTerms) { self.terms = terms }

    /// A run registers once: that its live epoch has been raised says only that others take it for dead.
    /// - Parameters:
    ///   - asked: when the reading was sent for.
    ///   - now: when it had arrived.
    ///   - hints: by then.
    package mutating func observe(
        _ nodes: [NodeStatus], askedAt asked: Duration, at now: Duration, hints: Suspicions = Suspicions()
    ) {
        let isUnbroken = self.lastAsked.map { now - $0 <= self.terms.longestReadingGap } ?? false
        self.lastAsked = asked
        self.lastArrival = now
        self.hints = hints
        var signs: [NodeID: Sign] = [:]
        for node in nodes {
            signs[node.id] = self.sign(of: node, after: self.signs[node.id], isUnbroken: isUnbroken, at: now)
        }
        self.signs = signs
    }

    private func sign(of node: NodeStatus, after known: Sign?, isUnbroken: Bool, at now: Duration) -> Sign {
        guard let known, known.incarnation == node.record.incarnation else {
            let starts = (known?.starts ?? []).filter { now - $0 < Self.memory } + [now]
            return Sign(
                incarnation: node.record.incarnation, beat: node.beat, lease: node.lease, since: now, firstSeen: now,
                starts: starts)
        }
        var sign = known
        if !isUnbroken || known.beat != node.beat { sign.since = now }
        sign.beat = node.beat
        sign.lease = node.lease
        return sign
    }

    /// After it the run that was read last answers nothing any more by what it had been seen to beat; nil for a node that
    /// no reading showed.
    package func end(of node: NodeID) -> Duration? { self.signs[node].map { $0.since + $0.lease } }

    /// Its lease is over, and it has not been seen to beat. Whatever passed since the last reading does not count.
    package func isSilent(_ node: NodeID, at now: Duration) -> Bool {
        self.end(of: node).map { min(now, self.lastArrival) >= $0 } ?? false
    }

    /// Its process is gone, as it seems: connections to it have been refused for longer than a run that lives goes without
    /// beating, and the last reading, which was asked for after that, shows no beat since. A run that lives and merely
    /// listens no more does beat; one that is stopped, or cut off, refuses nothing.
    package func isGone(_ node: NodeID) -> Bool {
        guard let sign = self.signs[node], let lastAsked = self.lastAsked,
            let refused = self.hints.refusedSince(
                ShardRecord.Owner(node: node, incarnation: sign.incarnation), at: self.lastArrival)
        else { return false }
        return lastAsked - max(sign.since, refused) >= self.terms.doubt
    }

    // MARK: Flapping

    private static let memory = Duration.seconds(600)
    private static let mostDoublings = 6

    /// It has lived for long enough to be given what others serve well: the longer, the more often it has started lately.
    package func isSteady(_ node: NodeID, at now: Duration) -> Bool {
        guard let sign = self.signs[node] else { return false }
        let doublings = min(sign.starts.count - 1, Self.mostDoublings)
        return now - sign.firstSeen >= self.terms.settling * (1 << doublings)
    }
}
