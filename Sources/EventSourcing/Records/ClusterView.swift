/// The nodes and shards that one reading of the store found.
package struct ClusterView: Hashable, Sendable {
    package var nodes: [NodeStatus]
    package var shards: [ShardRecord]

    package init(nodes: [NodeStatus], shards: [ShardRecord]) {
        self.nodes = nodes
        self.shards = shards
    }

    /// The runs that nobody has taken for dead.
    package var living: Set<ShardRecord.Owner> { Set(self.nodes.filter { $0.life == .live }.map(\.owner)) }
}
