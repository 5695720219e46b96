/// An event's place in its shard: 1, 2, 3 … without a hole; 0 is "before the first".
package struct LogSequence: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let zero = LogSequence(rawValue: 0)

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An event's place in its stream: 1, 2, 3 … without a hole; 0 is "no event yet".
package struct StreamVersion: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let zero = StreamVersion(rawValue: 0)

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A place in the log that can tell a rewound and regrown log from the one it was taken from: the incarnation that wrote
/// `sequence` is part of it, as the term is in Raft's log matching.
package struct Position: Hashable, Sendable {
    package let shard: ShardID
    package let sequence: LogSequence
    package let incarnationTag: UInt32

    package init(shard: ShardID, sequence: LogSequence, incarnationTag: UInt32) {
        self.shard = shard
        self.sequence = sequence
        self.incarnationTag = incarnationTag
    }
}
