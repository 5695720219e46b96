extension JSONScanner {
    /// Passes over a string and checks it. Its content lies between the quotes.
    mutating func scanString() throws(JSONError) -> (content: Range<Int>, hasEscapes: Bool) {
        self.offset += 1
        let start = self.offset
        var hasEscapes = false
        while true {
            self.offset = self.bytes.withUnsafeBytes { PlainText.end(in: $0, from: self.offset) }
            switch try self.next() {
            case .init(ascii: "\""):
                self.offset += 1
                return (start..<self.offset - 1, hasEscapes)
            case .init(ascii: "\\"):
                _ = try self.scanEscape()
                hasEscapes = true
            case ..<0x20: throw self.failure(.syntax)
            default: try self.scanMultibyteScalar()
            }
        }
    }

    /// The content of a string that has been scanned, free of escapes.
    func unescaped(_ content: Range<Int>, hasEscapes: Bool) -> ArraySlice<UInt8> {
        guard hasEscapes else { return self.bytes[content] }
        var scanner = self
        scanner.offset = content.lowerBound
        var text: [UInt8] = []
        while scanner.offset < content.upperBound {
            let byte = self.bytes[scanner.offset]
            if byte == .init(ascii: "\\"), let scalar = try? scanner.scanEscape() {
                text.append(contentsOf: UTF8.encode(scalar)!)
            } else {
                text.append(byte)
                scanner.offset += 1
            }
        }
        return text[...]
    }

    private mutating func scanEscape() throws(JSONError) -> Unicode.Scalar {
        self.offset += 1
        let byte = try self.next()
        self.offset += 1
        switch byte {
        case .init(ascii: "\""): return "\""
        case .init(ascii: "\\"): return "\\"
        case .init(ascii: "/"): return "/"
        case .init(ascii: "b"): return "\u{8}"
        case .init(ascii: "f"): return "\u{C}"
        case .init(ascii: "n"): return "\n"
        case .init(ascii: "r"): return "\r"
        case .init(ascii: "t"): return "\t"
        case .init(ascii: "u"): break
        default: throw self.failure(.syntax)
        }
        let unit = try self.scanHexUnit()
        if let scalar = Unicode.Scalar(unit) {
            guard unit != 0 else { throw self.failure(.invalidText) }
            return scalar
        }
        guard UTF16.isLeadSurrogate(unit), try self.next() == .init(ascii: "\\") else {
            throw self.failure(.invalidText)
        }
        self.offset += 1
        guard try self.next() == .init(ascii: "u") else { throw self.failure(.invalidText) }
        self.offset += 1
        let trail = try self.scanHexUnit()
        guard UTF16.isTrailSurrogate(trail) else { throw self.failure(.invalidText) }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private mutating func scanHexUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let byte = try self.next()
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw self.failure(.syntax)
            }
            unit = unit << 4 | UInt16(digit)
            self.offset += 1
        }
        return unit
    }

    /// One scalar of two to four bytes, in the shortest form and no surrogate (RFC 3629 §4).
    private mutating func scanMultibyteScalar() throws(JSONError) {
        let lead = try self.next()
        let second: ClosedRange<UInt8>
        let length: Int
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw self.failure(.invalidText)
        }
        guard self.offset + length <= self.bytes.count else { throw self.failure(.truncated) }
        guard second.contains(self.bytes[self.offset + 1]),
            self.bytes[self.offset + 2..<self.offset + length].allSatisfy({ $0 & 0xC0 == 0x80 })
        else { throw self.failure(.invalidText) }
        self.offset += length
    }
}
