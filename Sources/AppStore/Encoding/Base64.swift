/// The two alphabets of RFC 4648, read strictly: one text for each sequence of bytes, nothing else decodes.
package struct Base64: Sendable {
    /// base64url without padding, as a compact JWS is written (RFC 7515 §2).
    package static let url = Base64(digits62And63: "-_", isPadded: false)
    /// base64 with padding, as `x5c` is written (RFC 7515 §4.1.6).
    package static let standard = Base64(digits62And63: "+/", isPadded: true)

    private static let invalid: UInt8 = 0xFF

    private let alphabet: [UInt8]
    /// The value of each byte, `invalid` for those that are no digit.
    private let values: [UInt8]
    private let isPadded: Bool

    private init(digits62And63: String, isPadded: Bool) {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        self.alphabet = Array((letters + letters.lowercased() + "0123456789" + digits62And63).utf8)
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, digit) in self.alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
        self.isPadded = isPadded
    }

    package func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        bytes.withContiguousStorageIfAvailable(self.encode) ?? Array(bytes).withUnsafeBufferPointer(self.encode)
    }

    private func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text, written in
            self.alphabet.withUnsafeBufferPointer { alphabet in
                Self.encode(bytes, alphabet, isPadded: self.isPadded, into: text, &written)
            }
        }
    }

    private static func encode(
        _ bytes: UnsafeBufferPointer<UInt8>, _ alphabet: UnsafeBufferPointer<UInt8>, isPadded: Bool,
        into text: UnsafeMutableBufferPointer<UInt8>, _ written: inout Int
    ) {
        func put(_ digits: Int, of group: UInt32) {
            for digit in 0..<digits {
                text[written] = alphabet[Int(group >> (18 - 6 * UInt32(digit)) & 0x3F)]
                written += 1
            }
        }
        var position = 0
        while position + 3 <= bytes.count {
            put(4, of: UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2]))
            position += 3
        }
        let rest = bytes.count - position
        guard rest > 0 else { return }
        put(rest + 1, of: UInt32(bytes[position]) << 16 | (rest == 2 ? UInt32(bytes[position + 1]) << 8 : 0))
        guard isPadded else { return }
        for _ in rest..<3 {
            text[written] = .init(ascii: "=")
            written += 1
        }
    }

    /// nil for anything that `encode` does not write: white space, wrong padding, non-zero trailing bits.
    package func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var digits = text
        if self.isPadded {
            guard text.count.isMultiple(of: 4) else { return nil }
            for _ in 0..<2 where digits.last == .init(ascii: "=") { digits.removeLast() }
        }
        let rest = digits.count % 4
        guard rest != 1 else { return nil }
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 4 * 3 + 2) { bytes, written in
            isValid = digits.withUnsafeBufferPointer { digits in
                self.values.withUnsafeBufferPointer { values in
                    Self.decode(digits, values, into: bytes, &written)
                }
            }
        }
        return isValid ? bytes : nil
    }

    private static func decode(
        _ digits: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt8>,
        into bytes: UnsafeMutableBufferPointer<UInt8>, _ written: inout Int
    ) -> Bool {
        var seen: UInt8 = 0  // bits 6 and 7 are set only by `invalid`
        var position = 0
        while position + 4 <= digits.count {
            let first = values[Int(digits[position])]
            let second = values[Int(digits[position + 1])]
            let third = values[Int(digits[position + 2])]
            let fourth = values[Int(digits[position + 3])]
            seen |= first | second | third | fourth
            bytes[written] = first << 2 | second >> 4
            bytes[written + 1] = second << 4 | third >> 2
            bytes[written + 2] = third << 6 | fourth
            written += 3
            position += 4
        }
        guard position < digits.count else { return seen < 0x40 }
        let first = values[Int(digits[position])]
        let second = values[Int(digits[position + 1])]
        seen |= first | second
        bytes[written] = first << 2 | second >> 4
        written += 1
        if position + 2 == digits.count { return seen < 0x40 && second & 0xF == 0 }
        let third = values[Int(digits[position + 2])]
        seen |= third
        bytes[written] = second << 4 | third >> 2
        written += 1
        return seen < 0x40 && third & 0x3 == 0
    }
}
