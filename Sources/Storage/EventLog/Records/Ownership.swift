/// A node as others find it.
package struct NodeRecord: Hashable, Sendable {
    package var id: NodeID
    package var incarnation: Incarnation
    /// Where its socket listens, as a ZeroMQ endpoint; nil for a node that nobody calls.
    package var endpoint: String?
    /// Its public CURVE keys of 32 bytes each: two while one replaces the other.
    package var curveKeys: [[UInt8]]
    /// The newest that it supports.
    package var featureLevel: FeatureLevel

    package init(
        id: NodeID, incarnation: Incarnation, endpoint: String? = nil, curveKeys: [[UInt8]] = [],
        featureLevel: FeatureLevel = .supported
    ) {
        self.id = id
        self.incarnation = incarnation
        self.endpoint = endpoint
        self.curveKeys = curveKeys
        self.featureLevel = featureLevel
    }
}

extension NodeRecord {
    private static let keySize = 32

    /// As stores keep them: one after the other.
    package var packedCurveKeys: [UInt8] { self.curveKeys.flatMap(\.self) }

    /// - Parameter packedCurveKeys: as `packedCurveKeys` gives them.
    package init(
        id: NodeID, incarnation: Incarnation, endpoint: String?, packedCurveKeys: [UInt8], featureLevel: FeatureLevel
    ) {
        let starts = stride(from: 0, through: packedCurveKeys.count - Self.keySize, by: Self.keySize)
        self.init(
            id: id, incarnation: incarnation, endpoint: endpoint,
            curveKeys: starts.map { Array(packedCurveKeys[$0..<$0 + Self.keySize]) }, featureLevel: featureLevel)
    }
}

/// A shard's row: who owns it, under which fencing token, and how long its log is.
package struct ShardRecord: Hashable, Sendable {
    package struct Owner: Hashable, Sendable {
        package var node: NodeID
        package var incarnation: Incarnation

        package init(node: NodeID, incarnation: Incarnation) {
            self.node = node
            self.incarnation = incarnation
        }
    }

    package var shard: ShardID
    package var epoch: Epoch
    /// nil when nobody has ever claimed the shard.
    package var owner: Owner?
    package var head: LogSequence

    package init(shard: ShardID, epoch: Epoch, owner: Owner?, head: LogSequence) {
        self.shard = shard
        self.epoch = epoch
        self.owner = owner
        self.head = head
    }
}

/// Who wants to own which shards.
package struct ShardClaim: Hashable, Sendable {
    package var shards: [ShardID]
    package var owner: ShardRecord.Owner
    /// Only shards that this incarnation owns are taken: an owner that has lost track takes again what is still its own.
    /// nil takes them from anybody.
    package var from: Incarnation?

    package init(_ shards: [ShardID], for owner: ShardRecord.Owner, from: Incarnation? = nil) {
        self.shards = shards
        self.owner = owner
        self.from = from
    }
}

/// A shard as its new owner finds it.
package struct ShardOwnership: Hashable, Sendable {
    package var shard: ShardID
    package var epoch: Epoch
    package var incarnation: Incarnation
    package var head: LogSequence
    /// `at` of the newest event, so that recorded time never goes back; 0 without events.
    package var lastRecordedAt: Int64

    package init(shard: ShardID, epoch: Epoch, incarnation: Incarnation, head: LogSequence, lastRecordedAt: Int64) {
        self.shard = shard
        self.epoch = epoch
        self.incarnation = incarnation
        self.head = head
        self.lastRecordedAt = lastRecordedAt
    }
}
