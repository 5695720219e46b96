package import EventSourcing
package import WireProtocol

/// How far a shard's log is durable, as its owner knows it.
package struct ShardHead: Hashable, Sendable {
    package let sequence: EventSourcing.Sequence
    package let incarnationTag: UInt32

    init(_ position: Position) {
        self.sequence = position.sequence
        self.incarnationTag = position.incarnationTag
    }

    func position(in shard: ShardID) -> Position {
        Position(shard: shard, sequence: self.sequence, incarnationTag: self.incarnationTag)
    }
}

extension ShardHead: ProtoRepresentable {
    package init(_ proto: ProtoShardHead) {
        self.sequence = Sequence(rawValue: proto.sequence)
        self.incarnationTag = proto.incarnationTag
    }

    package func proto() -> ProtoShardHead {
        var proto = ProtoShardHead()
        proto.sequence = self.sequence.rawValue
        proto.incarnationTag = self.incarnationTag
        return proto
    }
}
