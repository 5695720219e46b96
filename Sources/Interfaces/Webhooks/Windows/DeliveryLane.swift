package import EventLog

/// One window of an endpoint: of a shard's log as it grows, or of a replay.
package struct DeliveryLane: Hashable, Sendable {
    package let shard: ShardID
    /// nil for the log as it grows.
    package let replay: String?

    package init(_ shard: ShardID, replay: String? = nil) {
        self.shard = shard
        self.replay = replay
    }
}
