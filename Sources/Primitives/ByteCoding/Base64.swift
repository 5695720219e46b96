/// The two alphabets of RFC 4648, read strictly: one text for each sequence of bytes, nothing else decodes.
package struct Base64: Sendable {
    /// base64url without padding, as a compact JWS is written (RFC 7515 §2).
    package static let url = Base64(digits62And63: "-_", isPadded: false)
    /// base64 with padding, as `x5c` is written (RFC 7515 §4.1.6).
    package static let standard = Base64(digits62And63: "+/", isPadded: true)

    private let alphabet: [UInt8]
    private let digits: DigitTable
    private let isPadded: Bool

    private init(digits62And63: String, isPadded: Bool) {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        self.alphabet = Array((letters + letters.lowercased() + "0123456789" + digits62And63).utf8)
        self.digits = DigitTable(self.alphabet)
        self.isPadded = isPadded
    }

    // MARK: Encoding

    package func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        self.append(bytes, to: &text)
        return text
    }

    package func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        let isAppended: Void? = bytes.withContiguousStorageIfAvailable { self.append($0, to: &text) }
        if isAppended == nil { Array(bytes).withUnsafeBufferPointer { self.append($0, to: &text) } }
    }

    private func append(_ bytes: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
        let start = text.count
        let (groups, rest) = bytes.count.quotientAndRemainder(dividingBy: 3)
        text.append(contentsOf: repeatElement(.init(ascii: "="), count: 4 * groups + self.count(ofRest: rest)))
        self.alphabet.withUnsafeBufferPointer { alphabet in
            text.withUnsafeMutableBufferPointer { text in
                var place = start
                for group in 0..<groups {
                    let (a, b, c) = (bytes[3 * group], bytes[3 * group + 1], bytes[3 * group + 2])
                    text[place] = alphabet[Int(a >> 2)]
                    text[place + 1] = alphabet[Int((a << 4 | b >> 4) & 63)]
                    text[place + 2] = alphabet[Int((b << 2 | c >> 6) & 63)]
                    text[place + 3] = alphabet[Int(c & 63)]
                    place += 4
                }
                guard rest > 0 else { return }
                let a = bytes[3 * groups]
                let b = rest == 2 ? bytes[3 * groups + 1] : 0
                text[place] = alphabet[Int(a >> 2)]
                text[place + 1] = alphabet[Int((a << 4 | b >> 4) & 63)]
                if rest == 2 { text[place + 2] = alphabet[Int(b << 2 & 63)] }
            }
        }
    }

    private func count(ofRest rest: Int) -> Int { rest == 0 ? 0 : self.isPadded ? 4 : rest + 1 }

    // MARK: Decoding

    /// nil for anything that `encode` does not write: white space, wrong padding, non-zero trailing bits.
    package func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var digits = text
        if self.isPadded {
            guard text.count.isMultiple(of: 4) else { return nil }
            for _ in 0..<2 where digits.last == .init(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 4 * 3 + DigitTable.slack) { bytes, written in
            isValid = digits.withUnsafeBufferPointer { self.digits.decode($0, into: bytes, &written) }
        }
        return isValid ? bytes : nil
    }
}
