import EventLog
import Ownership

/// A command, by its dedup key.
typealias Operation = Int

/// The statements of a store, each whole or not at all.
struct SimulatedStore {
    struct Entry: Hashable {
        var operation: Operation
        var epoch: Epoch
        var incarnation: Incarnation
    }

    struct Shard {
        var epoch = Epoch(rawValue: 0)
        var owner: ShardRecord.Owner?
        var log: [Entry] = []
        /// All that it was ever given to, in order.
        var namedOwners: [NodeID] = []
    }

    struct Claimed {
        var shard: ShardID
        var epoch: Epoch
        var log: [Entry]
    }

    enum Appended {
        /// After so many rewinds.
        case appended(rewinds: Int)
        case fenced, conflict
    }

    /// What a log has of what was asked for, after so many rewinds.
    struct Stored {
        var operations: Set<Operation>
        var rewinds: Int
    }

    private let guards: Guards
    private(set) var nodes: [NodeID: NodeStatus] = [:]
    private(set) var shards: [Shard]
    var inbox = SimulatedInbox()
    /// How often the database has forgotten its last commits.
    private(set) var rewinds = 0
    /// What was durable, and is not, by the rewind that it fell to.
    private(set) var lost: [Operation: Int] = [:]
    /// What no statement may do.
    private(set) var violations: [String] = []

    init(shardCount: Int, guards: Guards) {
        self.shards = Array(repeating: Shard(), count: shardCount)
        self.guards = guards
    }

    // MARK: Nodes

    /// - Parameter seen: what the row said; nil for none. A registration that comes late finds another.
    mutating func register(_ owner: ShardRecord.Owner, over seen: LiveEpoch?, lease: Duration) -> NodeRun? {
        guard self.nodes[owner.node]?.liveEpoch == seen else { return nil }
        let liveEpoch = LiveEpoch(rawValue: (self.nodes[owner.node]?.liveEpoch.rawValue ?? 0) + 1)
        self.nodes[owner.node] = NodeStatus(
            record: NodeRecord(id: owner.node, incarnation: owner.incarnation), liveEpoch: liveEpoch, beat: 0,
            lease: lease, life: .live)
        return NodeRun(owner: owner, liveEpoch: liveEpoch)
    }

    /// false when nobody knows this run any more.
    mutating func beat(_ run: NodeRun) -> Bool {
        guard let row = self.nodes[run.owner.node], row.run == run, row.life == .live else { return false }
        self.nodes[run.owner.node]?.beat += 1
        return true
    }

    mutating func leave(_ run: NodeRun) {
        if self.nodes[run.owner.node]?.run == run { self.nodes[run.owner.node]?.life = .left }
    }

    mutating func depose(_ seen: NodeStatus) {
        guard let row = self.nodes[seen.id], row.life == .live, row.run == seen.run else { return }
        guard row.beat == seen.beat || !self.guards.deposesAsSeen else { return }
        self.check(row.beat == seen.beat, "a node is deposed that has beaten since it was seen")
        self.nodes[seen.id]?.liveEpoch = LiveEpoch(rawValue: row.liveEpoch.rawValue + 1)
        self.nodes[seen.id]?.life = .deposed
    }

    private func lives(_ owner: ShardRecord.Owner?) -> Bool {
        guard let owner, let row = self.nodes[owner.node] else { return false }
        return row.life == .live && row.owner == owner
    }

    var view: ClusterView {
        ClusterView(
            nodes: self.nodes.values.sorted { $0.id.rawValue < $1.id.rawValue },
            shards: self.shards.enumerated().map { index, shard in
                ShardRecord(
                    shard: ShardID(rawValue: UInt16(index)), epoch: shard.epoch, owner: shard.owner,
                    head: LogSequence(rawValue: Int64(shard.log.count)))
            })
    }

    // MARK: Shards

    /// Takes those that are as they were seen, and that nobody living owns.
    mutating func claim(_ seen: [ShardRecord], for owner: ShardRecord.Owner) -> [Claimed] {
        guard self.lives(owner) || !self.guards.claimsAlive else { return [] }
        return seen.filter { self[$0.shard].epoch == $0.epoch || !self.guards.claimsAsSeen }.map { row in
            self.check(self.lives(owner), "a run takes a shard that was taken for dead")
            // To a database that has forgotten it, a run may live again that had been taken for dead.
            self.check(!self.lives(self[row.shard].owner) || self.rewinds > 0, "a shard is taken from a run that lives")
            return self.take(row.shard, for: owner)
        }
    }

    /// Takes again what this run owns still.
    mutating func reclaim(_ shard: ShardID, for owner: ShardRecord.Owner) -> Claimed? {
        self[shard].owner == owner ? self.take(shard, for: owner) : nil
    }

    private mutating func take(_ shard: ShardID, for owner: ShardRecord.Owner) -> Claimed {
        self[shard].owner = owner
        self[shard].namedOwners.append(owner.node)
        self[shard].epoch = Epoch(rawValue: self[shard].epoch.rawValue + 1)
        return Claimed(shard: shard, epoch: self[shard].epoch, log: self[shard].log)
    }

    /// false when the shard is not as its owner knows it, or the other does not live.
    mutating func give(_ shard: ShardID, under epoch: Epoch, from owner: ShardRecord.Owner, to other: ShardRecord.Owner)
        -> Bool
    {
        let isOwner = self[shard].owner == owner && self[shard].epoch == epoch
        guard isOwner || !self.guards.givesAsOwner, self.lives(other) || !self.guards.givesToLiving else {
            return false
        }
        self.check(isOwner, "a shard is given by a run that does not own it")
        self.check(self.lives(other), "a shard is given to a run that does not live")
        _ = self.take(shard, for: other)
        return true
    }

    mutating func append(
        _ operations: [Operation], unique: Set<Operation>, to shard: ShardID, under epoch: Epoch,
        by owner: ShardRecord.Owner, at head: Int
    ) -> Appended {
        let row = self[shard]
        guard row.epoch == epoch || !self.guards.epochFence,
            row.owner?.incarnation == owner.incarnation || !self.guards.incarnationFence,
            row.log.count == head || !self.guards.headFence
        else { return .fenced }
        if row.log.contains(where: { unique.contains($0.operation) }) { return .conflict }
        self.check(row.epoch == epoch, "an epoch appends after a newer one")
        self.check(row.owner == owner, "a run appends to a shard of another")
        self.check(row.log.count == head, "an append is not where its owner takes it to be")
        self[shard].log += operations.map { Entry(operation: $0, epoch: epoch, incarnation: owner.incarnation) }
        for operation in operations { self.lost[operation] = nil }
        return .appended(rewinds: self.rewinds)
    }

    func stored(_ operations: Set<Operation>, in shard: ShardID) -> Stored {
        Stored(operations: operations.intersection(self[shard].log.map(\.operation)), rewinds: self.rewinds)
    }

    func log(of shard: ShardID) -> [Entry] { self[shard].log }

    func namedOwners(of shard: ShardID) -> [NodeID] { self[shard].namedOwners }

    private mutating func check(_ isRight: Bool, _ what: String) {
        if !isRight { self.violations.append(what) }
    }

    /// As it was before its last commits.
    mutating func rewind(to saved: SimulatedStore) {
        let before = self
        self = saved
        self.violations = before.violations
        self.rewinds = before.rewinds + 1
        let durable = self.durable
        self.lost = before.lost.filter { !durable.contains($0.key) }
        for operation in before.durable.subtracting(durable) { self.lost[operation] = self.rewinds }
    }

    private var durable: Set<Operation> {
        self.shards.reduce(into: Set(self.inbox.rows.keys)) { $0.formUnion($1.log.map(\.operation)) }
    }

    // MARK: Inbox

    /// - Returns: after how many rewinds.
    mutating func keep(_ operation: Operation, for shard: ShardID) -> Int {
        self.inbox.put(operation, for: shard)
        self.lost[operation] = nil
        return self.rewinds
    }

    /// A row whose content is in the log that its owner knows.
    struct Removal {
        var row: SimulatedInbox.Row
        var standing: ShardStanding
    }

    /// - Returns: shards that are not as their owner knows them, whose rows stay.
    mutating func remove(_ removals: [Removal]) -> Set<ShardID> {
        var refused: Set<ShardID> = []
        for removal in removals {
            if self.holds(removal.standing, of: removal.row.shard) || !self.guards.removalFence {
                self.inbox.remove(removal.row.operation)
            } else {
                refused.insert(removal.row.shard)
            }
        }
        return refused
    }

    private func holds(_ standing: ShardStanding, of shard: ShardID) -> Bool {
        let row = self[shard]
        return row.epoch == standing.epoch && row.owner?.incarnation == standing.incarnation
            && row.log.count >= standing.head.rawValue
    }

    private subscript(shard: ShardID) -> Shard {
        get { self.shards[Int(shard.rawValue)] }
        set { self.shards[Int(shard.rawValue)] = newValue }
    }
}
