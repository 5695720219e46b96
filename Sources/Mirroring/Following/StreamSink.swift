package import EventSourcing
package import WireProtocol

/// Whom following a stream is for. Called on one thread at a time, of each shard in the order of its log.
package protocol StreamSink: Sendable {
    /// A stream of `shard` is like this by now. The same again, and older ones, come as well: the greater version counts.
    /// - Throws: when it cannot be read; the shard is begun again then.
    func take(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError)

    /// The next event of its shard has left a stream like this; all up to `position` has been taken then.
    /// - Throws: as `take` does.
    func advance(_ image: SubscriptionImage, to position: Position) throws(MirrorError)

    /// By the rules of its present owner a stream is like this; where another version of it is there, nothing changes.
    /// - Throws: as `take` does.
    func renew(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError)

    /// All up to `position` has been taken.
    func setPosition(_ position: Position)

    /// All that was committed to `shard` before `moment` has been taken.
    func setCurrent(_ shard: ShardID, asOf moment: ContinuousClock.Instant)

    /// What was taken of `shard` may never have been (`storeRewound`): all of it comes anew, whatever its versions.
    func beginRestart(of shard: ShardID)

    /// All of it has come: what has not is not there.
    func endRestart(of shard: ShardID)
}

extension StreamSink {
    /// For those who do not answer by what they are told.
    package func renew(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {}

    package func advance(_ image: SubscriptionImage, to position: Position) throws(MirrorError) {
        try self.take(image, in: position.shard)
        self.setPosition(position)
    }
}
