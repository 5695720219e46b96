package import EventLog

/// Names the actor of one shard, wherever it lives.
package struct ShardActorID: Hashable, Sendable {
    package let shard: ShardID

    package init(shard: ShardID) { self.shard = shard }

    var index: Int { Int(self.shard.rawValue) }
}
