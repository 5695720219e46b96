package import EventLog

/// A place in the log of a shard that goes without saying (proto: `StreamPosition`).
package struct StreamPosition: Hashable, Sendable {
    package var sequence: LogSequence
    /// Of the incarnation that wrote it; 0 before the first event.
    package var tag: UInt32

    package init(sequence: LogSequence, tag: UInt32) {
        self.sequence = sequence
        self.tag = tag
    }

    package init(_ position: Position) {
        self.init(sequence: position.sequence, tag: position.incarnationTag)
    }

    /// Before the first event.
    package static let start = StreamPosition(sequence: .zero, tag: 0)

    package func position(in shard: ShardID) -> Position {
        Position(shard: shard, sequence: self.sequence, incarnationTag: self.tag)
    }
}

/// Which store's log a message speaks of, and as it was after which restore (proto: `StreamOrigin`).
package struct StreamOrigin: Hashable, Sendable {
    package var storeID: UInt64
    package var restoreGeneration: Int64

    package init(storeID: UInt64, restoreGeneration: Int64) {
        self.storeID = storeID
        self.restoreGeneration = restoreGeneration
    }

    package init(_ identity: StoreIdentity) {
        self.init(storeID: identity.storeID, restoreGeneration: identity.restoreGeneration)
    }
}
