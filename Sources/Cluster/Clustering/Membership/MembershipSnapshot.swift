import EventLog

/// The nodes and owners that one reading of the store found.
struct MembershipSnapshot: Sendable {
    /// Where the calls for one shard go.
    struct Owner: Sendable {
        let epoch: Epoch
        let peer: Peer
    }

    private(set) var nodes: [NodeID: NodeRecord] = [:]
    /// The nodes that can be called.
    private(set) var peers: [NodeID: Peer] = [:]
    /// By the name that the ZAP handler gives to whoever holds a key.
    private var users: [String: NodeID] = [:]
    /// By shard; nil where nobody who can be called owns it.
    private var owners: [Owner?] = []

    init() {}

    init(nodes: [NodeRecord], shards: [ShardRecord]) {
        for node in nodes {
            self.nodes[node.id] = node
            self.peers[node.id] = Peer(node)
            for key in node.curveKeys { self.users[Self.user(node.id, key)] = node.id }
        }
        self.owners = shards.map { record in
            // A run that its node has not registered any more owns nothing.
            guard let owner = record.owner, let peer = self.peers[owner.node], peer.incarnation == owner.incarnation
            else { return nil }
            return Owner(epoch: record.epoch, peer: peer)
        }
    }

    func owner(of shard: ShardID) -> Owner? {
        Int(shard.rawValue) < self.owners.count ? self.owners[Int(shard.rawValue)] : nil
    }

    func shards(ofOthersThan peer: Peer) -> Set<ShardID> {
        Set(
            self.owners.indices.filter { self.owners[$0].map { $0.peer != peer } ?? false }.map {
                ShardID(rawValue: UInt16($0))
            })
    }

    // MARK: Keys

    /// The name of whoever holds `key`: a key that is not listed any more names nobody, on old connections too.
    private static func user(_ node: NodeID, _ key: [UInt8]) -> String {
        "\(node.rawValue) \(key.map { String($0, radix: 16) }.joined(separator: "."))"
    }

    /// The name under which `key` is listed.
    func user(of key: [UInt8]) -> String? {
        self.nodes.values.first { $0.curveKeys.contains(key) }.map { Self.user($0.id, key) }
    }

    /// nil for a name whose key is not listed any more.
    func node(of user: String) -> NodeID? { self.users[user] }
}
