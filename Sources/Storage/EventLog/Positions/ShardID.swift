/// A shard: the top bits of the hash of a stream's id. 0 up to, not including, the store's shard count.
package struct ShardID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
