package import Subscriptions

/// Long work that somebody asked a node for. It lives in the memory of that node; what it did is in the log, and asking
/// again repeats nothing.
package struct ReconciliationJob: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Reads a stretch of Apple's notification history.
        case backfill
        /// Reads the failed deliveries, and compares every subscription with Apple's answer.
        case run
    }

    package enum State: String, Sendable, CaseIterable {
        case running, done, failed
    }

    /// Of this node; not reused while the node runs.
    package var id: String
    package var kind: Kind
    package var state = State.running
    /// Of a backfill.
    package var from: Moment?
    /// Of a backfill; not in its stretch.
    package var to: Moment?
    package var progress = ReconciliationProgress()
    /// One sentence for people, when it failed.
    package var error: String?
    package var started: Moment
    package var ended: Moment?

    package init(id: String, kind: Kind, started: Moment) {
        self.id = id
        self.kind = kind
        self.started = started
    }
}

/// How far it has got.
package struct ReconciliationProgress: Hashable, Sendable {
    /// Requests to Apple that were answered.
    package var calls = 0
    /// Signed items that the answers held.
    package var fetched = 0
    /// Items that brought something new.
    package var recorded = 0
    /// Items that were known.
    package var duplicates = 0
    /// Items that are authentic, but not for this configuration.
    package var quarantined = 0
    /// Items that are forged or malformed.
    package var refused = 0
    /// Subscriptions compared with Apple's answer.
    package var checked = 0
    /// Of these, the ones that differed, and agree now.
    package var repaired = 0

    package init() {}

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.calls += right.calls
        sum.fetched += right.fetched
        sum.recorded += right.recorded
        sum.duplicates += right.duplicates
        sum.quarantined += right.quarantined
        sum.refused += right.refused
        sum.checked += right.checked
        sum.repaired += right.repaired
        return sum
    }

    static func += (left: inout Self, right: Self) { left = left + right }
}
