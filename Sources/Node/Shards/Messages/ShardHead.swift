package import EventLog
package import WireProtocol

/// How far a shard's log is durable, as its owner knows it.
package struct ShardHead: Hashable, Sendable {
    package let sequence: LogSequence
    package let incarnationTag: UInt32

    package init(_ position: Position) {
        self.sequence = position.sequence
        self.incarnationTag = position.incarnationTag
    }

    package func position(in shard: ShardID) -> Position {
        Position(shard: shard, sequence: self.sequence, incarnationTag: self.incarnationTag)
    }
}

extension ShardHead: ProtoRepresentable {
    package init(_ proto: ProtoShardHead) {
        self.sequence = LogSequence(rawValue: proto.sequence)
        self.incarnationTag = proto.incarnationTag
    }

    package func proto() -> ProtoShardHead {
        var proto = ProtoShardHead()
        proto.sequence = self.sequence.rawValue
        proto.incarnationTag = self.incarnationTag
        return proto
    }
}
