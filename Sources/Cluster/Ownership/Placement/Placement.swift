package import EventLog

/// Where shards go, without a coordinator: every node that reads the same rows plans the same. Whatever has no owner goes
/// to the living node that it ranks first and that has room; what has one stays, unless its owner holds too much or
/// another too little (rendezvous hashing with bounded loads: Mirrokni, Thorup and Zadimoghaddam, 2018). Whoever dies or
/// comes, the others exchange nothing; one shard perhaps where there are few for each.
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
    /// There is nobody who counts and may not be given anything yet.
    private let isSettled: Bool

    /// - Parameters:
    ///   - owners: of all shards; nil where the owner does not live.
    ///   - living: who may take what has no owner.
    ///   - steady: those of them who may be given what another serves.
    package init(owners: [ShardID: NodeID?], living: Set<NodeID>, steady: Set<NodeID>) {
        // A tenth more, or less by as much, than an equal share.
        let nodes = max(1, living.count)
        self.most = (owners.count * 11 + nodes * 10 - 1) / (nodes * 10)
        self.least = owners.count * 10 / (nodes * 11)
        self.isSettled = living == steady
        self.loads = Dictionary(uniqueKeysWithValues: living.map { ($0, 0) })
        for case let owner? in owners.values { self.loads[owner, default: 0] += 1 }
        let ownerless = owners.keys.filter { owners[$0] == .some(nil) }.sorted()
        for (index, shard) in ownerless.enumerated() {
            self.take(shard, among: living, left: ownerless.count - index)
        }
        // As it is nearly always, and a plan is made several times a second.
        guard self.loads.values.contains(where: { $0 < self.least || $0 > self.most }) else { return }
        let owned = owners.compactMapValues { $0 }
        // Who holds too much gives before anybody else does, and first to those who hold too little: they take it all in,
        // so that it need not go to others who would soon have to give themselves.
        self.level(owned, among: steady, above: self.most, byRank: true)
        self.level(owned, among: steady, above: self.most, byRank: false)
        self.level(owned, among: steady, above: self.least, byRank: true)
    }

    /// - Parameter left: how many have no owner yet, this one among them.
    private mutating func take(_ shard: ShardID, among nodes: Set<NodeID>, left: Int) {
        let needy = self.needy(among: nodes)
        let lack = needy.reduce(0) { $0 + self.least - self.loads[$1, default: 0] }
        // What somebody lacks is kept for him, or another would have to give him what he serves well.
        let candidates = left > lack ? nodes.filter { self.loads[$0, default: 0] < self.most } : needy
        guard let node = Self.first(candidates, for: shard) else { return }
        self.taken[shard] = node
        self.loads[node, default: 0] += 1
    }

    /// Those who hold too little.
    private func needy(among nodes: Set<NodeID>) -> Set<NodeID> {
        nodes.filter { self.loads[$0, default: 0] < self.least }
    }

    /// - Parameters:
    ///   - bound: who holds more gives.
    ///   - byRank: only to nodes that the shard ranks higher.
    private mutating func level(_ owned: [ShardID: NodeID], among nodes: Set<NodeID>, above bound: Int, byRank: Bool) {
        let moving = Set(self.moves.map(\.shard))
        for (shard, owner) in owned.sorted(by: { $0.key < $1.key })
        where !moving.contains(shard) && self.loads[owner, default: 0] > bound {
            var candidates = self.needy(among: nodes)
            if candidates.isEmpty, bound == self.most, self.isSettled {
                candidates = nodes.filter { self.loads[$0, default: 0] < self.most }
            }
            if byRank { candidates = candidates.filter { Self.isHigher($0, than: owner, for: shard) } }
            guard let node = Self.first(candidates, for: shard) else { continue }
            self.moves.append(Move(shard: shard, from: owner, to: node))
            self.loads[owner, default: 0] -= 1
            self.loads[node, default: 0] += 1
        }
    }

    private static func isHigher(_ node: NodeID, than other: NodeID, for shard: ShardID) -> Bool {
        Rendezvous.weight(of: node, for: shard) > Rendezvous.weight(of: other, for: shard)
    }

    private static func first(_ nodes: Set<NodeID>, for shard: ShardID) -> NodeID? {
        nodes.max { left, right in
            (Rendezvous.weight(of: left, for: shard), left.rawValue)
                < (Rendezvous.weight(of: right, for: shard), right.rawValue)
        }
    }
}
