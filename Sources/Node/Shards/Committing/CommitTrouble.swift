/// What to say of commits that fail or whose outcome is unknown: callers come back at once, and a disk that is full would soon
/// be full of lines about it. An outage is told when it begins, and with its counts when it is over.
package struct CommitTrouble: Sendable {
    package struct Summary: Hashable, Sendable {
        /// Commits, and attempts to take shards again.
        package var failed = 0
        /// Commits of which nobody knew whether they had happened.
        package var unknown = 0

        package init(failed: Int = 0, unknown: Int = 0) {
            self.failed = failed
            self.unknown = unknown
        }
    }

    private struct Outage {
        var summary = Summary()
        /// Of either kind.
        var last: ContinuousClock.Instant
        var lastFailure: ContinuousClock.Instant?
        var logged: ContinuousClock.Instant?
        /// The store has taken something since `last`.
        var isPassing = false
    }

    /// Trouble that comes again sooner is the same, whatever went well between.
    package static let quietPeriod = Duration.seconds(5)
    package static let logInterval = Duration.seconds(60)

    private var outage: Outage?

    package init() {}

    /// - Returns: whether to log it: the first one, and then one a minute.
    package mutating func recordFailure(at now: ContinuousClock.Instant) -> Bool {
        var outage = self.noted(at: now)
        outage.summary.failed += 1
        outage.lastFailure = now
        let mustLog = outage.logged.map { now - $0 >= Self.logInterval } ?? true
        if mustLog { outage.logged = now }
        self.outage = outage
        return mustLog
    }

    /// - Returns: whether to log it: the first one.
    package mutating func recordUnknown(at now: ContinuousClock.Instant) -> Bool {
        var outage = self.noted(at: now)
        outage.summary.unknown += 1
        self.outage = outage
        return outage.summary.unknown == 1
    }

    private func noted(at now: ContinuousClock.Instant) -> Outage {
        var outage = self.outage ?? Outage(last: now)
        outage.last = now
        outage.isPassing = false
        return outage
    }

    package mutating func recordSuccess() {
        self.outage?.isPassing = true
        self.outage?.lastFailure = nil
    }

    /// The last commit failed, and that was not long ago.
    package func isFailing(at now: ContinuousClock.Instant) -> Bool {
        self.outage?.lastFailure.map { now - $0 < Self.quietPeriod } ?? false
    }

    /// - Returns: what came of an outage that is over; once.
    package mutating func end(at now: ContinuousClock.Instant) -> Summary? {
        guard let outage, outage.isPassing, now - outage.last >= Self.quietPeriod else { return nil }
        self.outage = nil
        return outage.summary
    }
}
