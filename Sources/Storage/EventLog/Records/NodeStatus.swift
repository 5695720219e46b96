/// How often somebody has registered a node or taken it for dead: whoever beats has to know the newest.
package struct LiveEpoch: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A registered run of a node: what its beats have to match.
package struct NodeRun: Hashable, Sendable {
    package var owner: ShardRecord.Owner
    package var liveEpoch: LiveEpoch

    package init(owner: ShardRecord.Owner, liveEpoch: LiveEpoch) {
        self.owner = owner
        self.liveEpoch = liveEpoch
    }
}

/// A node's row as one reading found it: what it says of itself, and its signs of life.
package struct NodeStatus: Hashable, Sendable {
    /// Stores keep these words.
    package enum Life: String, Hashable, Sendable {
        case live
        /// Others have taken it for dead. It learns so from its next beat.
        case deposed
        /// It has ended by itself, and nothing answers for it any more.
        case left
    }

    package var record: NodeRecord
    package var liveEpoch: LiveEpoch
    /// Grows for as long as the run lives.
    package var beat: Int64
    /// For so long after a beat it may answer for what it owns.
    package var lease: Duration
    package var life: Life

    package init(record: NodeRecord, liveEpoch: LiveEpoch, beat: Int64, lease: Duration, life: Life) {
        self.record = record
        self.liveEpoch = liveEpoch
        self.beat = beat
        self.lease = lease
        self.life = life
    }

    package var id: NodeID { self.record.id }
    package var owner: ShardRecord.Owner {
        ShardRecord.Owner(node: self.record.id, incarnation: self.record.incarnation)
    }
    package var run: NodeRun { NodeRun(owner: self.owner, liveEpoch: self.liveEpoch) }
}
