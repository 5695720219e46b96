/// What each letter of an alphabet means in each of the four places of a group, as it stands in the group's three bytes: a
/// group is decoded by four look-ups and one store.
struct DigitTable: Sendable {
    /// How much longer than the result the buffer has to be: whole words are stored, of which three bytes count.
    static let slack = 4

    /// No group sets these bits.
    private static let invalid: UInt32 = 0xFF00_0000

    /// 256 words for each place.
    private let words: [UInt32]

    init(_ alphabet: [UInt8]) {
        var words = [UInt32](repeating: Self.invalid, count: 4 * 256)
        for (value, letter) in alphabet.enumerated() {
            let (value, letter) = (UInt32(value), Int(letter))
            words[letter] = value << 2
            words[256 + letter] = value >> 4 | (value & 0xF) << 12
            words[512 + letter] = (value >> 2) << 8 | (value & 0x3) << 22
            words[768 + letter] = value << 16
        }
        self.words = words
    }

    /// - Precondition: `digits.count % 4` is not 1, and `bytes` has `slack` more than the whole groups need.
    /// - Returns: false when a letter is none of the alphabet, or bits behind the last byte are set.
    func decode(
        _ digits: UnsafeBufferPointer<UInt8>, into bytes: UnsafeMutableBufferPointer<UInt8>, _ written: inout Int
    ) -> Bool {
        self.words.withUnsafeBufferPointer { words in
            let output = UnsafeMutableRawBufferPointer(bytes)
            var seen: UInt32 = 0
            var position = 0
            func word(_ place: Int) -> UInt32 { words[256 * place + Int(digits[position + place])] }

            while position + 4 <= digits.count {
                let group = word(0) | word(1) | word(2) | word(3)
                seen |= group
                output.storeBytes(of: group.littleEndian, toByteOffset: written, as: UInt32.self)
                written += 3
                position += 4
            }
            let rest = digits.count - position
            if rest > 0 {
                let group = word(0) | word(1) | (rest == 3 ? word(2) : 0)
                seen |= group
                output.storeBytes(of: group.littleEndian, toByteOffset: written, as: UInt32.self)
                written += rest - 1
                guard group & Self.invalid == 0, group >> (8 * UInt32(rest - 1)) == 0 else { return false }
            }
            return seen & Self.invalid == 0
        }
    }
}
