package import EventLog

/// The runs of other nodes that live, as the store says, and since when this node has known it.
package struct WatchedRuns {
    /// By then they have read the node table, too, and let this node in.
    private static let acquaintance = Membership.interval * 2

    private var since: [ShardRecord.Owner: ContinuousClock.Instant] = [:]

    package init() {}

    package mutating func update(to runs: Set<ShardRecord.Owner>, at now: ContinuousClock.Instant) {
        self.since = Dictionary(uniqueKeysWithValues: runs.map { ($0, self.since[$0] ?? now) })
    }

    package func contains(_ run: ShardRecord.Owner) -> Bool { self.since[run] != nil }

    /// Those to be connected to.
    package func acquainted(at now: ContinuousClock.Instant) -> Set<ShardRecord.Owner> {
        Set(self.since.filter { now - $0.value >= Self.acquaintance }.keys)
    }
}
