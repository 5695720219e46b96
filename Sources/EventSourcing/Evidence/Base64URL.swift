/// RFC 4648 §5 without padding, strictly: what `decode` accepts, `append` writes again bit for bit.
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Of each byte; 255 where it is no letter of the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in Self.alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// How many letters `count` bytes make.
    static func length(of count: Int) -> Int { (count * 4 + 2) / 3 }

    /// nil for letters outside the alphabet, a length that cannot be, or set bits behind the last byte.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let rest = text.count % 4
        guard rest != 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.count * 3 / 4)
        var output = bytes.mutableSpan
        let input = text.span
        let values = Self.values.span
        var seen: UInt8 = 0
        var place = 0
        for start in stride(from: 0, to: input.count - rest, by: 4) {
            let (a, b) = (values[Int(input[start])], values[Int(input[start + 1])])
            let (c, d) = (values[Int(input[start + 2])], values[Int(input[start + 3])])
            seen |= a | b | c | d
            output[place] = a << 2 | b >> 4
            output[place + 1] = b << 4 | c >> 2
            output[place + 2] = c << 6 | d
            place += 3
        }
        if rest > 0 {
            let (a, b) = (values[Int(input[input.count - rest])], values[Int(input[input.count - rest + 1])])
            let c = rest == 3 ? values[Int(input[input.count - 1])] : 0
            seen |= a | b | c
            output[place] = a << 2 | b >> 4
            if rest == 3 { output[place + 1] = b << 4 | c >> 2 }
            guard (rest == 3 ? c & 0b11 : b & 0b1111) == 0 else { return nil }
        }
        return seen < 64 ? bytes : nil
    }

    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: repeatElement(0, count: Self.length(of: bytes.count)))
        var output = text.mutableSpan
        let input = bytes.span
        let alphabet = Self.alphabet.span
        let rest = input.count % 3
        var place = start
        for group in stride(from: 0, to: input.count - rest, by: 3) {
            let (a, b, c) = (input[group], input[group + 1], input[group + 2])
            output[place] = alphabet[Int(a >> 2)]
            output[place + 1] = alphabet[Int((a << 4 | b >> 4) & 63)]
            output[place + 2] = alphabet[Int((b << 2 | c >> 6) & 63)]
            output[place + 3] = alphabet[Int(c & 63)]
            place += 4
        }
        if rest > 0 {
            let a = input[input.count - rest]
            let b = rest == 2 ? input[input.count - 1] : 0
            output[place] = alphabet[Int(a >> 2)]
            output[place + 1] = alphabet[Int((a << 4 | b >> 4) & 63)]
            if rest == 2 { output[place + 2] = alphabet[Int(b << 2 & 63)] }
        }
    }
}
