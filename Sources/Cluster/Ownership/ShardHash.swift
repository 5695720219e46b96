package import EventLog

/// Which shard an id belongs to: the top bits of its digest. Fixed when a store is created, and the same on every kind
/// of store, so that sequences and tokens survive a move.
package struct ShardHash: Hashable, Sendable {
    package static let defaultShardCount = 256

    package let shardCount: Int
    private let shift: Int

    /// nil unless `shardCount` is a power of two in 16…4096.
    package init?(shardCount: Int) {
        guard (16...4_096).contains(shardCount), shardCount.nonzeroBitCount == 1 else { return nil }
        self.shardCount = shardCount
        self.shift = 64 - shardCount.trailingZeroBitCount
    }

    package func shard(of digest: IDDigest) -> ShardID {
        ShardID(rawValue: UInt16(truncatingIfNeeded: digest.high >> UInt64(self.shift)))
    }

    package func shard(of id: String) -> ShardID { self.shard(of: IDDigest(id: id)) }

    package var shards: [ShardID] { (0..<self.shardCount).map { ShardID(rawValue: UInt16($0)) } }
}
