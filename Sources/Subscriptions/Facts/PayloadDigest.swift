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

    package var bytes: [UInt8] {
        [self.words.0, self.words.1, self.words.2, self.words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
        }
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    package static func < (left: Self, right: Self) -> Bool { left.words < right.words }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.words.0) }
}
