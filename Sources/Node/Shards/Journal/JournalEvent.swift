import EventLog

/// What the journal tells a shard, in order. Where it speaks of a submission it names the epoch under which that was made: a
/// shard that has been let go since, or taken anew, has nothing to do with it any more.
enum JournalEvent: Sendable {
    /// The shard is ours, from this head on: first, after a freeze, and when it comes back. `soleFrom` is that of
    /// `ShardTenure.own(_:soleFrom:)`.
    case owned(ShardOwnership, soleFrom: Duration?)
    /// The oldest submission is durable.
    case committed(Epoch)
    /// The oldest submission cannot be stored as it is; nothing of it, nor of what was submitted after it, was.
    case conflict(StoreError, Epoch)
    /// The store could not take the oldest submission; nothing of it, nor of what was submitted after it, was stored.
    case failed(StoreError, Epoch)
    /// Somebody else owns the shard that was owned under this epoch, or will.
    case fenced(Epoch)
    /// Nobody knows what became of the submissions, or whether the shard is ours; `owned`, `fenced` or `lost` follows.
    case frozen(Epoch)
    /// Shards could not be taken again: the process has to open the store anew. What follows means nothing any more.
    case lost(StoreError)
}
