package import EventLog
package import WireProtocol

/// Asks the owner of a shard to make another node its owner.
package struct ShardMove: Hashable, Sendable {
    package let node: NodeID

    init(to node: NodeID) { self.node = node }
}

extension ShardMove: ProtoRepresentable {
    package init(_ proto: ProtoShardMove) { self.node = NodeID(rawValue: proto.node) }

    package func proto() -> ProtoShardMove {
        var proto = ProtoShardMove()
        proto.node = self.node.rawValue
        return proto
    }
}
