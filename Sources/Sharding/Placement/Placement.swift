package import EventSourcing

/// Where shards go, without a coordinator: every node that reads the same rows plans the same. Whatever has no owner goes
/// to the living node that it ranks first and that has room; what has one stays, unless its owner holds too much or
/// another too little (rendezvous hashing with bounded loads: Mirrokni, Thorup and Zadimoghaddam, 2018).
package struct Placement: Hashable, Sendable {
    /// An owner is to give a shard away.
    package struct Move: Hashable, Sendable {
        package var shard: ShardID
        package var from: NodeID
        package var to: NodeID
    }

    /// For the shards that had no owner.
    package private(set) var taken: [ShardID: NodeID] = [:]
    package private(set) var moves: [Move] = []

    private var loads: [NodeID: Int]
    private let most: Int
    private let least: Int

    /// - Parameters:
    ///   - owners: of all shards; nil where the owner does not live.
    ///   - living: who may take what has no owner.
    ///   - steady: those of them who may be given what another serves.
    package init(owners: [ShardID: NodeID?], living: Set<NodeID>, steady: Set<NodeID>) {
        // A tenth more, or less by as much, than an equal share.
        let nodes = max(1, living.count)
        self.most = (owners.count * 11 + nodes * 10 - 1) / (nodes * 10)
        self.least = owners.count * 10 / (nodes * 11)
        self.loads = Dictionary(uniqueKeysWithValues: living.map { ($0, 0) })
        for case let owner? in owners.values { self.loads[owner, default: 0] += 1 }
        for shard in owners.keys.sorted() where owners[shard] == .some(nil) { self.take(shard, among: living) }
        let owned = owners.compactMapValues { $0 }
        self.level(owned, among: steady, by: .rank)
        self.level(owned, among: steady, by: .load)
    }

    private mutating func take(_ shard: ShardID, among nodes: Set<NodeID>) {
        guard let node = Self.first(nodes.filter { self.loads[$0, default: 0] < self.most }, for: shard) else { return }
        self.taken[shard] = node
        self.loads[node, default: 0] += 1
    }

    private enum Reason {
        /// The shard ranks another higher, and one of both holds too much or too little.
        case rank
        /// Its owner holds too much.
        case load
    }

    private mutating func level(_ owned: [ShardID: NodeID], among nodes: Set<NodeID>, by reason: Reason) {
        let moving = Set(self.moves.map(\.shard))
        for (shard, owner) in owned.sorted(by: { $0.key < $1.key }) where !moving.contains(shard) {
            let candidates = nodes.filter { $0 != owner && self.mayMove(shard, from: owner, to: $0, by: reason) }
            guard let node = Self.first(candidates, for: shard) else { continue }
            self.moves.append(Move(shard: shard, from: owner, to: node))
            self.loads[owner, default: 0] -= 1
            self.loads[node, default: 0] += 1
        }
    }

    private func mayMove(_ shard: ShardID, from owner: NodeID, to node: NodeID, by reason: Reason) -> Bool {
        let (load, other) = (self.loads[owner, default: 0], self.loads[node, default: 0])
        let relieves = load > self.most && other < self.most
        switch reason {
        case .load: return relieves
        case .rank:
            return (relieves || load > self.least && other < self.least)
                && Rendezvous.weight(of: node, for: shard) > Rendezvous.weight(of: owner, for: shard)
        }
    }

    private static func first(_ nodes: Set<NodeID>, for shard: ShardID) -> NodeID? {
        nodes.max { left, right in
            (Rendezvous.weight(of: left, for: shard), left.rawValue)
                < (Rendezvous.weight(of: right, for: shard), right.rawValue)
        }
    }
}
