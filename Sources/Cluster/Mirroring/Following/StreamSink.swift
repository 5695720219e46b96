package import EventLog
package import WireProtocol

/// Whom following a stream is for. Called on one thread at a time, of each shard in the order of its log.
package protocol StreamSink: Sendable {
    /// The store has been restored since it was first heard of: positions are of this log from now on, and whatever was told
    /// of a shard is restarted next.
    func setOrigin(_ origin: StreamOrigin)

    /// A stream of `shard` is like this by now. The same again, and older ones, come as well: the greater version counts.
    /// - Throws: when it cannot be read; it comes again after a while, with all of its shard if that is copied.
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

    /// By these a node answers for customers from now on.
    /// - Throws: when they cannot be used; they are asked for again after a while.
    func setRules(_ rules: StreamRules) throws(MirrorError)

    /// Whether all that was taken of `shard` came with what answers by customer need.
    func setTellsOfCustomers(_ tells: Bool, in shard: ShardID)
}

extension StreamSink {
    /// For those whose positions do not leave the process.
    package func setOrigin(_ origin: StreamOrigin) {}

    /// For those who do not answer by customer.
    package func setRules(_ rules: StreamRules) throws(MirrorError) {}

    package func setTellsOfCustomers(_ tells: Bool, in shard: ShardID) {}

    /// For those who do not answer by what they are told.
    package func renew(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {}

    package func advance(_ image: SubscriptionImage, to position: Position) throws(MirrorError) {
        try self.take(image, in: position.shard)
        self.setPosition(position)
    }
}
