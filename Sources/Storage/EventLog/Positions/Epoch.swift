/// The fencing token of a shard: each new owner raises it by one, and every append carries it (Kleppmann's term).
package struct Epoch: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One run of one node's process, drawn at random when it starts.
package struct Incarnation: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The 32 bits that positions carry.
    package var tag: UInt32 { UInt32(truncatingIfNeeded: self.rawValue) }
}

/// A node's configured name.
package struct NodeID: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}
