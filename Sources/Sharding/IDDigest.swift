import Crypto

/// The first 16 bytes of SHA-256 over the text of a stream's id alone. Environment and bundle take no part, so that an
/// id given without its bundle is looked for in one shard, under one prefix.
package struct IDDigest: Hashable, Sendable {
    /// The first 8 bytes; their top bits name the shard.
    package let high: UInt64
    package let low: UInt64

    package init(id: String) {
        var text = id
        var hasher = SHA256()
        text.withUTF8 { hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        (self.high, self.low) = hasher.finalize().withUnsafeBytes { digest in
            (
                UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    package static func == (left: Self, right: Self) -> Bool { left.high == right.high && left.low == right.low }

    /// The bits are random already.
    package func hash(into hasher: inout Hasher) { hasher.combine(self.low) }
}
