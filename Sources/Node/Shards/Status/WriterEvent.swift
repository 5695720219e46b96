import EventLog
import Ownership

/// What a shard's writer hears, in order.
enum WriterEvent: Sendable {
    /// What the store has said of the shard. `.appended` means the oldest batch.
    case news(ShardNews)
    /// The oldest batch cannot be stored as it is; nothing of it, nor of what was submitted after it, was.
    case conflict(StoreError, Epoch)
    /// The store could not take the oldest batch; nothing of it, nor of what was submitted after it, was stored.
    case failed(StoreError, Epoch)
    /// The end of the run: the process has to open the store again. What follows means nothing any more.
    case lost(StoreError)
}
