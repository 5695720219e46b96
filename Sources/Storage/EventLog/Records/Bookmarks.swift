/// The bounds of the notes beside the log, which every store holds them to before it touches anything.
package enum Bookmarks {
    /// Of a name, in bytes.
    package static let nameLengths = 1...512
    /// Of a value, in bytes; an empty one stands for none.
    package static let longestValue = 4096

    /// Above all names that begin with `prefix`, and below those behind them: no UTF-8 holds the byte 255.
    package static func end(ofPrefix prefix: String) -> [UInt8] { Array(prefix.utf8) + [255] }

    /// - Throws: `.conflict` for a name or a value that is beyond them.
    package static func check(_ values: [String: [UInt8]]) throws(StoreError) {
        for (name, value) in values {
            guard Self.nameLengths.contains(name.utf8.count) else {
                throw StoreError(.conflict, "the name of a bookmark has 1…512 bytes, not \(name.utf8.count)")
            }
            guard value.count <= Self.longestValue else {
                throw StoreError(.conflict, "a bookmark holds 4096 bytes at most, not \(value.count)")
            }
        }
    }

    /// - Throws: `.conflict` for a note that cannot be kept.
    package static func check(_ name: String, kept value: [UInt8]) throws(StoreError) {
        guard !value.isEmpty else { throw StoreError(.conflict, "a bookmark that is kept says something") }
        try Self.check([name: value])
    }

    /// - Throws: `.conflict` for a note that cannot take the place of another.
    package static func check(_ name: String, _ old: [UInt8], replacedBy new: [UInt8]) throws(StoreError) {
        guard !old.isEmpty, !new.isEmpty else {
            throw StoreError(.conflict, "a bookmark that is replaced says something before and after")
        }
        try Self.check([name: new])
    }
}

/// A note beside the log.
package struct Bookmark: Hashable, Sendable {
    package var name: String
    package var value: [UInt8]

    package init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}
