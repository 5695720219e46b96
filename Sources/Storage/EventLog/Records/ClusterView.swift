/// The nodes and shards that one reading of the store found, and its feature level.
package struct ClusterView: Hashable, Sendable {
    package var nodes: [NodeStatus]
    package var shards: [ShardRecord]
    package var featureLevel: FeatureLevel

    package init(nodes: [NodeStatus], shards: [ShardRecord], featureLevel: FeatureLevel = .first) {
        self.nodes = nodes
        self.shards = shards
        self.featureLevel = featureLevel
    }

    /// The runs that nobody has taken for dead.
    package var living: Set<ShardRecord.Owner> { Set(self.nodes.filter { $0.life == .live }.map(\.owner)) }
}
