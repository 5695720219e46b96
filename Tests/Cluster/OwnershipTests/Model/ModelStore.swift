import EventLog
import Ownership

/// The rows of two nodes and of one shard, and the statements on them, each whole or not at all.
struct ModelStore: Hashable {
    struct Run: Hashable {
        var member: Member
        var incarnation: Int8 = 1
    }

    struct Row: Hashable {
        var incarnation: Int8 = 1
        var liveEpoch: Int8 = 1
        var beat: Int8 = 0
        var isDeposed = false
    }

    var rows = Pair { _ in Row() }
    var epoch: Int8 = 1
    var owner = Run(member: .first)
    var head: Int8 = 0

    func lives(_ run: Run) -> Bool {
        self.rows[run.member].incarnation == run.incarnation && !self.rows[run.member].isDeposed
    }

    mutating func register(_ run: Run) {
        self.rows[run.member] = Row(incarnation: run.incarnation, liveEpoch: self.rows[run.member].liveEpoch + 1)
    }

    /// false when nobody knows this run any more.
    mutating func beat(_ run: Run, _ guards: ModelGuards) -> Bool {
        guard self.lives(run) || !guards.beatsNeedTheRun else { return false }
        self.rows[run.member].beat += 1
        return true
    }

    mutating func depose(_ member: Member, _ seen: Row) {
        guard self.rows[member] == seen, !seen.isDeposed else { return }
        self.rows[member].isDeposed = true
        self.rows[member].liveEpoch += 1
    }

    /// - Parameter seen: the shard's epoch.
    mutating func claim(_ run: Run, seen: Int8, _ guards: ModelGuards) -> Bool {
        guard self.lives(run), self.epoch == seen || !guards.claimsAreAsSeen else { return false }
        self.owner = run
        self.epoch += 1
        return true
    }

    mutating func append(_ run: Run, _ standing: ShardStanding, _ guards: ModelGuards) -> Bool {
        let isFenced = self.owner != run || Int64(self.epoch) != standing.epoch.rawValue
        guard !isFenced || !guards.appendsAreFenced, Int64(self.head) == standing.head.rawValue else { return false }
        self.head += 1
        return true
    }

    // MARK: As the machines see it

    static func id(_ member: Member) -> NodeID { Self.ids[Int(member.rawValue)] }

    private static let ids = [NodeID(rawValue: "first"), NodeID(rawValue: "second")]

    static func owner(_ run: Run) -> ShardRecord.Owner {
        ShardRecord.Owner(node: Self.id(run.member), incarnation: Incarnation(rawValue: Int64(run.incarnation)))
    }

    func status(_ member: Member, lease: Duration) -> NodeStatus {
        let row = self.rows[member]
        return NodeStatus(
            record: NodeRecord(id: Self.id(member), incarnation: Incarnation(rawValue: Int64(row.incarnation))),
            liveEpoch: LiveEpoch(rawValue: Int64(row.liveEpoch)), beat: Int64(row.beat), lease: lease,
            life: row.isDeposed ? .deposed : .live)
    }

    /// What who has just claimed the shard hears.
    var ownership: ShardOwnership {
        let shard = self.shard
        return ShardOwnership(
            shard: shard.shard, epoch: shard.epoch, incarnation: Incarnation(rawValue: Int64(self.owner.incarnation)),
            head: shard.head, lastRecordedAt: 0)
    }

    var shard: ShardRecord {
        ShardRecord(
            shard: ShardID(rawValue: 0), epoch: Epoch(rawValue: Int64(self.epoch)), owner: Self.owner(self.owner),
            head: LogSequence(rawValue: Int64(self.head)))
    }
}
