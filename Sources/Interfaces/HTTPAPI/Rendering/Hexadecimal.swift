extension Sequence<UInt8> {
    /// Two lower-case digits for each byte.
    var hexadecimal: String {
        self.reduce(into: "") { text, byte in
            text.append(Character(Unicode.Scalar(Self.digit(byte >> 4))))
            text.append(Character(Unicode.Scalar(Self.digit(byte & 0xF))))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension [UInt8] {
    /// nil unless `text` is an even number of hexadecimal digits.
    init?(hexadecimal text: String) {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text {
            guard character.isASCII, let digit = character.hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        guard high == nil else { return nil }
        self = bytes
    }
}
