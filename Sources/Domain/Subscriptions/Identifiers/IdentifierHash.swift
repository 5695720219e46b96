/// An identifier of a customer as it travels, lies in memory and stands in keys: the first 16 bytes of HMAC-SHA-256, by the
/// store's key, over the byte of its kind and its UTF-8. Nobody without the key can tell whose it is.
package struct IdentifierHash: Hashable, Comparable, Sendable {
    /// The first byte that is hashed.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case customer = 1
        /// In lower case.
        case appAccountToken = 2
        case appTransaction = 3
    }

    /// Each half is evenly spread.
    package let high: UInt64
    package let low: UInt64

    @inlinable package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// nil unless there are 16 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    package var bytes: [UInt8] {
        withUnsafeBytes(of: (self.high.bigEndian, self.low.bigEndian)) { Array($0) }
    }

    /// Enough of it to tell the ids of one customer apart.
    package var half: UInt64 { self.low }

    /// 32 digits, in lower case.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 32) { text in
            for place in 0..<32 {
                let word = place < 16 ? self.high : self.low
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - place % 16 * 4)) & 15
                text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return 32
        }
    }

    /// nil unless there are 32 digits.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 32, text.utf8.count == 32 else { return nil }
        self.init(stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    @inlinable package static func == (left: Self, right: Self) -> Bool {
        left.low == right.low && left.high == right.high
    }

    @inlinable package static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    /// It is evenly spread: one word of it is enough.
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(self.low) }
}
