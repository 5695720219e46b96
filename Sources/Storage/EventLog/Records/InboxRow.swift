/// What one node accepted for a shard whose owner it could not reach, and any owner applies.
package struct InboxRow: Hashable, Sendable {
    /// Unique among all shards.
    package var dedupKey: [UInt8]
    package var shard: ShardID
    /// In milliseconds since 1970.
    package var receivedAt: Int64
    /// As the nodes send it to each other.
    package var raw: [UInt8]

    package init(dedupKey: [UInt8], shard: ShardID, receivedAt: Int64, raw: [UInt8]) {
        self.dedupKey = dedupKey
        self.shard = shard
        self.receivedAt = receivedAt
        self.raw = raw
    }
}

package struct InboxDepth: Hashable, Sendable {
    /// Rows that will be tried.
    package var waiting: Int
    /// Rows that were tried often enough, and are kept for people.
    package var parked: Int
    /// When the oldest row that waits came, in milliseconds since 1970.
    package var oldest: Int64?

    package init(waiting: Int, parked: Int, oldest: Int64?) {
        self.waiting = waiting
        self.parked = parked
        self.oldest = oldest
    }
}
