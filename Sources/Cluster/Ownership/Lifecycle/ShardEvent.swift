package import EventLog

/// What can happen to a shard of this node.
package enum ShardEvent: Hashable, Sendable {
    /// The store has said this, told in the order in which the store did it.
    case stored(ShardNews)
    /// The shard's writer has applied this, in the same order.
    case applied(ShardNews)
    /// A hand-off begins: the shard takes no more commands, and what is in flight is worked off.
    case draining
    /// Nothing is in flight any more: the shard is released, so that its row may name another run. If that does not happen, or is
    /// not heard of, a reading shows it (`ShardLifecycle.Finding.gained`).
    case handedOver(under: Epoch)
    /// The hand-off does not happen.
    case kept(under: Epoch)
    /// Some of the earlier owners that might still answer have turned out to be gone.
    case waitShortened(until: Duration)
    /// The node's clock shows this moment.
    case waited(until: Duration)
    /// The node stops.
    case closing
}

/// What the store has said of a shard, and its writer applies. Where it speaks of a batch it names the epoch under which that was
/// decided.
package enum ShardNews: Hashable, Sendable {
    /// This run is the owner, from this head on: for the first time, after a freeze, or again. From `exclusiveFrom` on no earlier owner
    /// answers any more; nil where that stays as it was.
    case owned(ShardOwnership, exclusiveFrom: Duration?)
    /// The oldest batch is durable, up to `head`.
    case appended(head: LogSequence, under: Epoch)
    /// The outcome of a commit is unknown, or the store may not have what this run knows.
    case frozen(under: Epoch)
    /// Another run owns the shard, or will.
    case released(under: Epoch)
    /// The store has to be opened again: the end of the run.
    case lost
}
