/// A row of the inbox that the owner of its shard has applied, or has found to be applied already.
package struct InboxRemoval: Hashable, Sendable {
    package var dedupKey: [UInt8]
    package var shard: ShardID
    /// The fence: the shard's row must still say this epoch and this incarnation, and a head that is no lower. Then all
    /// that the owner went by is in the log.
    package var epoch: Epoch
    package var incarnation: Incarnation
    package var head: LogSequence

    package init(dedupKey: [UInt8], shard: ShardID, epoch: Epoch, incarnation: Incarnation, head: LogSequence) {
        self.dedupKey = dedupKey
        self.shard = shard
        self.epoch = epoch
        self.incarnation = incarnation
        self.head = head
    }
}
