import FoundationEssentials
package import WireProtocol

/// Asks the owner of a shard to hold subscriptions of it against Apple's answers: as many as it gets to in a few seconds.
package struct ShardComparison: Hashable, Sendable {
    /// The key of the stream after which it goes on; nil at the beginning.
    package let after: [UInt8]?

    package init(after key: [UInt8]?) { self.after = key }
}

extension ShardComparison: ProtoRepresentable {
    package init(_ proto: ProtoShardComparison) { self.after = proto.after.isEmpty ? nil : Array(proto.after) }

    package func proto() -> ProtoShardComparison {
        var proto = ProtoShardComparison()
        proto.after = Data(self.after ?? [])
        return proto
    }
}
