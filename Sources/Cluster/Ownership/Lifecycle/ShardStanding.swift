package import EventLog

/// How a shard stands, as far as its owner has heard. A store does not go back on it, unless it has lost commits.
package struct ShardStanding: Hashable, Sendable {
    package var epoch: Epoch
    package var incarnation: Incarnation
    /// Of the newest event that is known to be durable.
    package var head: LogSequence

    package init(epoch: Epoch, incarnation: Incarnation, head: LogSequence) {
        self.epoch = epoch
        self.incarnation = incarnation
        self.head = head
    }

    package init(_ ownership: ShardOwnership) {
        self.init(epoch: ownership.epoch, incarnation: ownership.incarnation, head: ownership.head)
    }

    /// false for a row, read after this was heard, of a store that has forgotten some of it: who owns the shard, or how its
    /// log ends. A later epoch has nothing to do with this one.
    package func isConsistent(with row: ShardRecord) -> Bool {
        if row.epoch > self.epoch { return true }
        return row.epoch == self.epoch && row.owner?.incarnation == self.incarnation && row.head >= self.head
    }

    /// false for what a claim of the same run has got from a store that has forgotten some of this: it gives the same epoch
    /// away again, or lacks events. Only another incarnation can then write on, whose tags tell the two logs apart.
    package func mayPrecede(_ ownership: ShardOwnership) -> Bool {
        ownership.epoch > self.epoch && ownership.head >= self.head
    }
}
