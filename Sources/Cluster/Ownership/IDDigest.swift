import Crypto

/// The first 16 bytes of SHA-256 over the text of a stream's id alone. Environment and bundle take no part, so that an
/// id given without its bundle is looked for in one shard, under one prefix.
package struct IDDigest: Hashable, Sendable {
    /// The first 8 bytes; their top bits name the shard.
    package let high: UInt64
    package let low: UInt64

    package init(id: String) {
        var text = id
        self = text.withUTF8 { IDDigest(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// - Parameter utf8: of the id.
    package init(utf8: ArraySlice<UInt8>) {
        self = utf8.withUnsafeBytes { IDDigest(utf8: $0) }
    }

    private init(utf8: UnsafeRawBufferPointer) {
        var hasher = SHA256()
        hasher.update(bufferPointer: utf8)
        self = hasher.finalize().withUnsafeBytes { digest in
            IDDigest(
                high: UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                low: UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// The digest with these halves, as one was read from.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static func == (left: Self, right: Self) -> Bool { left.high == right.high && left.low == right.low }

    /// The bits are random already.
    package func hash(into hasher: inout Hasher) { hasher.combine(self.low) }
}
