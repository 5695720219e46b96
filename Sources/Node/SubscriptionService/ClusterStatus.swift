package import EventLog

/// The nodes and shards of a cluster, as the store has them.
package struct ClusterStatus: Hashable, Sendable {
    package struct Node: Hashable, Sendable {
        package var status: NodeStatus
        package var shardsOwned: Int
    }

    /// In the order of their ids.
    package var nodes: [Node]
    /// In order.
    package var shards: [ShardRecord]
    /// Shards whose owner does not live: nobody answers for them yet.
    package var shardsWithoutOwner: Int
    /// Of the store.
    package var featureLevel: FeatureLevel
    /// nil where no other node could own a shard.
    package var inbox: InboxDepth?
    package var answeredBy: NodeID

    init(_ view: ClusterView, inbox: InboxDepth?, answeredBy node: NodeID) {
        let living = view.living
        self.nodes = view.nodes.map { status in
            Node(status: status, shardsOwned: view.shards.count { $0.owner == status.owner })
        }
        self.shards = view.shards
        self.shardsWithoutOwner = view.shards.count { $0.owner.map { !living.contains($0) } ?? true }
        self.featureLevel = view.featureLevel
        self.inbox = inbox
        self.answeredBy = node
    }
}
