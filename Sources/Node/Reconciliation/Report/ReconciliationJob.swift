package import ServiceContract
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
