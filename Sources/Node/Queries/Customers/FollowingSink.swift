package import EventLog
package import Mirroring
package import Shards
package import WireProtocol

/// Follows the stream of a node's store. It updates the node's mirror, and removes customers from the table that a commit may have
/// changed, whichever node made the commit.
package struct FollowingSink: StreamSink {
    private let mirror: EntitlementMirror
    private let customers: CustomerTable?

    package init(_ mirror: EntitlementMirror, _ customers: CustomerTable?) {
        self.mirror = mirror
        self.customers = customers
    }

    /// From now on it is told of all commits.
    package func begin() { self.customers?.beginFollowing() }

    package func take(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {
        try self.mirror.take(image, in: shard)
    }

    package func renew(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {
        try self.mirror.renew(image, in: shard)
    }

    /// First: what is answered for a position is as new.
    package func advance(_ image: SubscriptionImage, to position: Position) throws(MirrorError) {
        if let lookups = image.lookups {
            self.customers?.forget([image.key], lookups)
        } else {
            self.customers?.removeAll()
        }
        try self.mirror.advance(image, to: position)
    }

    /// The shard is followed from here on. Nobody has told of its earlier commits, so the table is emptied.
    package func setPosition(_ position: Position) {
        self.customers?.removeAll()
        self.mirror.setPosition(position)
    }

    package func setCurrent(_ shard: ShardID, asOf moment: ContinuousClock.Instant) {
        self.mirror.setCurrent(shard, asOf: moment)
    }

    package func setOrigin(_ origin: StreamOrigin) { self.mirror.setOrigin(origin) }

    package func beginRestart(of shard: ShardID) {
        self.mirror.beginRestart(of: shard)
        self.customers?.removeAll()
    }

    package func endRestart(of shard: ShardID) { self.mirror.endRestart(of: shard) }
}
