/// SHA-256 of a signed payload. Breaks ties between payloads signed in the same millisecond.
package struct PayloadDigest: Hashable, Comparable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// - Precondition: 32 bytes.
    package init(_ bytes: some Sequence<UInt8>) {
        var words = [UInt64](repeating: 0, count: 4)
        var count = 0
        for byte in bytes {
            precondition(count < 32, "a SHA-256 digest has 32 bytes")
            words[count / 8] = words[count / 8] << 8 | UInt64(byte)
            count += 1
        }
        precondition(count == 32, "a SHA-256 digest has 32 bytes")
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// - Precondition: 32 bytes.
    package init(rawBytes: UnsafeRawBufferPointer) {
        precondition(rawBytes.count == 32, "a SHA-256 digest has 32 bytes")
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: rawBytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        }
        self.words = (word(0), word(1), word(2), word(3))
    }

    /// With zeros after its first eight bytes.
    init(start: UInt64) { self.words = (start, 0, 0, 0) }

    /// The first eight bytes: enough to tell two payloads apart.
    package var start: UInt64 { self.words.0 }

    /// Of no payload: it stands where there is none yet.
    package static let zero = PayloadDigest(repeatElement(0, count: 32))

    package var bytes: [UInt8] { self.withBytes { Array($0) } }

    /// The same 32 bytes without an array; they do not outlive `body`.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let (first, second, third, fourth) = self.words
        let bytes = (first.bigEndian, second.bigEndian, third.bigEndian, fourth.bigEndian)
        return withUnsafeBytes(of: bytes, body)
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    package static func < (left: Self, right: Self) -> Bool { left.words < right.words }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.words.0) }
}
