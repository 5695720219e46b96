/// A store that several nodes share: besides the log it holds who lives and who owns what. Each of these calls is one
/// statement, which is done whole or not at all, whoever else does what; they block.
///
/// One that throws may have been done, or may be done yet. That harms nothing: each names what it goes by, and does
/// nothing where that is not so any more.
package protocol SharedEventStore: EventStore {
    /// Registers a run that has not been registered before, and which now lives.
    /// - Throws: `.incompatible` when it does not support the store's feature level; otherwise when nobody knows
    ///   whether it is registered: others may take this run for dead before it hears of it, so another one has to be
    ///   registered.
    func begin(_ node: NodeRecord, lease: Duration) throws(StoreError) -> NodeRun

    /// A sign of life.
    /// - Returns: nil when somebody has taken the run for dead, or another run of its node has begun. It owns nothing
    ///   any more.
    func beat(_ run: NodeRun) throws(StoreError) -> BeatAcknowledgement?

    /// Says that the run is over and answers nothing any more.
    func leave(_ run: NodeRun) throws(StoreError)

    /// Takes a run for dead: what it owns may be taken.
    /// - Returns: false when it has given a sign of life since it was seen.
    func depose(_ seen: NodeStatus) throws(StoreError) -> Bool

    /// The nodes and shards. The nodes are not read before the shards: an owner that does not live as this says does not
    /// come back.
    func view() throws(StoreError) -> ClusterView

    /// Makes a living run the owner of shards whose epochs are as they were seen, and raises these.
    /// - Returns: the shards taken, in the order of `seen`.
    func take(_ seen: [ShardRecord], as run: NodeRun) throws(StoreError) -> [ShardOwnership]

    /// An owner makes a living run the next owner of a shard, and raises its epoch. Who gets it takes it once more before
    /// it appends (`ShardClaim.from`).
    /// - Returns: false when the shard is not the giver's under this epoch, or the other does not live.
    func give(
        _ shard: ShardID, under epoch: Epoch, from owner: ShardRecord.Owner, to other: ShardRecord.Owner
    ) throws(StoreError) -> Bool
}
