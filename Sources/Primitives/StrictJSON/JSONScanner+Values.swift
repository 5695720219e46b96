extension JSONScanner {
    package enum Kind: Sendable {
        case object, array, text, number, bool, null
    }

    /// The type of the next value, by its first byte.
    package mutating func kind() throws(JSONError) -> Kind {
        self.skipWhitespace()
        switch try self.next() {
        case .init(ascii: "{"): return .object
        case .init(ascii: "["): return .array
        case .init(ascii: "\""): return .text
        case .init(ascii: "t"), .init(ascii: "f"): return .bool
        case .init(ascii: "n"): return .null
        case .init(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw self.failure(.syntax)
        }
    }

    /// Text of at most `maximumBytes` bytes of UTF-8.
    package mutating func text(maximumBytes: Int = .max) throws(JSONError) -> String {
        String(decoding: try self.textBytes(maximumBytes: maximumBytes), as: UTF8.self)
    }

    /// The UTF-8 of a text; a slice of the document itself unless the text holds escapes.
    package mutating func textBytes(maximumBytes: Int = .max) throws(JSONError) -> ArraySlice<UInt8> {
        try self.expect(.text)
        let start = self.offset
        let (content, hasEscapes) = try self.scanString()
        let bytes = self.unescaped(content, hasEscapes: hasEscapes)
        guard bytes.count <= maximumBytes else { throw JSONError(code: .tooLong, offset: start) }
        return bytes
    }

    /// An identifier: 1…128 visible ASCII characters, as text or as a whole number without a sign (whose digits it
    /// then is).
    package mutating func identifier() throws(JSONError) -> String {
        let kind = try self.kind()
        let start = self.offset
        let bytes: ArraySlice<UInt8>
        switch kind {
        case .text: bytes = try self.textBytes()
        case .number:
            let number = try self.scanNumber()
            guard number.isInteger, self.bytes[start] != .init(ascii: "-") else {
                throw JSONError(code: .notIdentifier, offset: start)
            }
            bytes = self.bytes[start..<self.offset]
        case .object, .array, .bool, .null: throw self.failure(.wrongType)
        }
        guard (1...128).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw JSONError(code: .notIdentifier, offset: start)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A number that is an integer of 64 bits, written without fraction and exponent.
    package mutating func integer() throws(JSONError) -> Int64 {
        try self.expect(.number)
        let start = self.offset
        let number = try self.scanNumber()
        guard number.isInteger, let value = number.integerPart else {
            throw JSONError(code: .notInteger, offset: start)
        }
        return value
    }

    /// A date in milliseconds since 1970, between the years 0000 and 9999, which RFC 3339 can write. A fraction is
    /// refused, or, for the payloads Xcode makes, cut off.
    package mutating func milliseconds(allowingFraction: Bool = false) throws(JSONError) -> Int64 {
        try self.expect(.number)
        let start = self.offset
        let number = try self.scanNumber()
        guard number.isInteger || (allowingFraction && !number.hasExponent), let value = number.integerPart else {
            throw JSONError(code: .notInteger, offset: start)
        }
        guard (-62_167_219_200_000...253_402_300_799_999).contains(value) else {
            throw JSONError(code: .notDate, offset: start)
        }
        return value
    }

    package mutating func bool() throws(JSONError) -> Bool {
        try self.expect(.bool)
        let isTrue = try self.next() == .init(ascii: "t")
        try self.scanLiteral(isTrue ? "true" : "false")
        return isTrue
    }

    /// The elements of an array of texts of at most `maximumBytes` bytes each.
    package mutating func texts(maximumBytes: Int = .max) throws(JSONError) -> [String] {
        var texts: [String] = []
        try self.beginArray()
        while try self.nextElement() { texts.append(try self.text(maximumBytes: maximumBytes)) }
        return texts
    }

    /// The bytes of one value of any type, as they stand in the document.
    package mutating func rawValue() throws(JSONError) -> ArraySlice<UInt8> {
        self.skipWhitespace()
        let start = self.offset
        try self.skip()
        return self.bytes[start..<self.offset]
    }

    private mutating func expect(_ kind: Kind) throws(JSONError) {
        guard try self.kind() == kind else { throw self.failure(.wrongType) }
    }

    /// Passes over a number. `integerPart` is what stands before fraction and exponent; nil beyond 64 bits.
    mutating func scanNumber() throws(JSONError) -> (integerPart: Int64?, isInteger: Bool, hasExponent: Bool) {
        let isNegative = try self.next() == .init(ascii: "-")
        if isNegative { self.offset += 1 }
        let start = self.offset
        var value: Int64? = 0
        while let digit = self.nextDigit() {
            // Towards the negative end, which reaches one further.
            value = value.flatMap { value in
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (difference, borrow) = product.subtractingReportingOverflow(Int64(digit))
                return overflow || borrow ? nil : difference
            }
            self.offset += 1
        }
        let count = self.offset - start
        guard count == 1 || (count > 1 && self.bytes[start] != .init(ascii: "0")) else { throw self.failure(.syntax) }
        if !isNegative { value = value.flatMap { $0 == .min ? nil : -$0 } }

        let hasFraction = self.offset < self.bytes.count && self.bytes[self.offset] == .init(ascii: ".")
        if hasFraction {
            self.offset += 1
            try self.scanDigits()
        }
        let hasExponent = self.offset < self.bytes.count && self.bytes[self.offset] | 0x20 == .init(ascii: "e")
        if hasExponent {
            self.offset += 1
            let sign = try self.next()
            if sign == .init(ascii: "+") || sign == .init(ascii: "-") { self.offset += 1 }
            try self.scanDigits()
        }
        return (value, !hasFraction && !hasExponent, hasExponent)
    }

    private mutating func scanDigits() throws(JSONError) {
        guard self.nextDigit() != nil else { throw self.failure(.syntax) }
        while self.nextDigit() != nil { self.offset += 1 }
    }

    private func nextDigit() -> UInt8? {
        guard self.offset < self.bytes.count else { return nil }
        let digit = self.bytes[self.offset] &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }
}
