package import EventLog

/// Runs whose addresses refuse connections, one after the other, by this node's clock alone. Where nobody listens there is
/// hardly a process; but it is no more than a hint, which `PeerWatch` holds against the signs of life.
package struct Suspicions: Hashable, Sendable {
    private struct Refusals: Hashable, Sendable {
        var first: Duration
        var last: Duration
    }

    /// Attempts further apart than this say nothing about what was between them.
    private static let longestGap = Duration.seconds(1)

    private var refusals: [ShardRecord.Owner: Refusals] = [:]

    package init() {}

    /// A connection to the address of this run was refused. Whatever else becomes of an attempt is no refusal: of who is
    /// stopped, or cut off, nothing is heard at all.
    package mutating func noteRefusal(by run: ShardRecord.Owner, at now: Duration) {
        self.refusals = self.refusals.filter { now - $0.value.last <= Self.longestGap }
        self.refusals[run, default: Refusals(first: now, last: now)].last = now
    }

    /// An attempt was not refused, or there is nobody any more to be connected to.
    package mutating func withdraw(_ run: ShardRecord.Owner) { self.refusals[run] = nil }

    /// Since when every connection to this run has been refused; nil when that is not so, or has not been tried lately.
    package func refusedSince(_ run: ShardRecord.Owner, at now: Duration) -> Duration? {
        self.refusals[run].flatMap { now - $0.last <= Self.longestGap ? $0.first : nil }
    }
}
