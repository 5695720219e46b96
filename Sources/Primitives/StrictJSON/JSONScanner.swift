/// Reads one JSON document (RFC 8259) from front to back, without a tree and without copying it. Strict, because what
/// it reads is signed or comes from outside: it refuses duplicate keys (in skipped objects too), more than 32 levels,
/// more than 256 members in an object, invalid UTF-8, lone surrogates, U+0000, a byte order mark and bytes after the
/// end.
///
///     var json = JSONScanner(bytes)
///     try json.beginObject()
///     while let key = try json.nextKey() {
///         switch key {
///         case "count": count = try json.integer()
///         default: try json.skip()
///         }
///     }
///     try json.end()
///
/// Each member and each element must be read or skipped exactly once. Members whose value is `null` are passed over, as
/// if they were not there; so are those of empty text, where the scanner is told that it stands for nothing. A reader that refuses
/// unknown keys asks for these, too, and begins with `passNull()`.
package struct JSONScanner {
    package static let maximumDepth = 32
    package static let maximumMembers = 256

    package let bytes: [UInt8]
    private let emptyTextIsNull: Bool
    private let keepsNull: Bool
    /// Where the next read starts; after `nextKey()` or `nextElement()` the first byte of the value.
    package internal(set) var offset = 0

    /// Between an opening bracket and the first member: no comma is due.
    private var isFresh = false
    private var depth = 0
    /// The keys of all open objects, outermost first, and where those of each object begin: of so few objects with so few
    /// members that these are small numbers.
    private var keys: [JSONKey] = []
    private var firstKeys = SIMD32<UInt16>()
    private var openObjects = 0

    /// - Parameters:
    ///   - emptyTextIsNull: a member whose value is `""` counts as one whose value is `null`.
    ///   - keepsNull: `nextKey()` gives the keys of these, too.
    package init(_ bytes: [UInt8], emptyTextIsNull: Bool = false, keepsNull: Bool = false) {
        self.bytes = bytes
        self.emptyTextIsNull = emptyTextIsNull
        self.keepsNull = keepsNull
        self.keys.reserveCapacity(min(64, bytes.count / 8))
    }

    /// - Throws: when `bytes` are not one well-formed document, whatever it holds.
    package static func validate(_ bytes: [UInt8]) throws(JSONError) {
        var json = JSONScanner(bytes)
        try json.skip()
        try json.end()
    }

    // MARK: Structure

    package mutating func beginObject() throws(JSONError) {
        try self.open(.init(ascii: "{"))
        self.firstKeys[self.openObjects] = UInt16(self.keys.count)
        self.openObjects += 1
    }

    /// The next member's key, or nil after the last one, with the object closed.
    package mutating func nextKey() throws(JSONError) -> JSONKey? {
        while try self.advance(closing: .init(ascii: "}")) {
            let key = try self.scanKey()
            self.skipWhitespace()
            guard try self.next() == .init(ascii: ":") else { throw self.failure(.syntax) }
            self.offset += 1
            self.skipWhitespace()
            guard !self.keepsNull, try self.passNull() else { return key }
        }
        while self.keys.count > self.firstKey { self.keys.removeLast() }
        self.openObjects -= 1
        return nil
    }

    /// Passes over a value that counts as not there.
    /// - Returns: whether it was one.
    package mutating func passNull() throws(JSONError) -> Bool {
        let byte = try self.next()
        if byte == .init(ascii: "n") {
            try self.scanLiteral("null")
            return true
        }
        guard self.emptyTextIsNull, byte == .init(ascii: "\""), self.offset + 1 < self.bytes.count,
            self.bytes[self.offset + 1] == .init(ascii: "\"")
        else { return false }
        self.offset += 2
        return true
    }

    /// A key as text, for those who take whatever comes.
    package func text(of key: JSONKey) -> String {
        String(decoding: self.unescaped(key), as: UTF8.self)
    }

    private func unescaped(_ key: JSONKey) -> ArraySlice<UInt8> {
        self.unescaped(key.content, hasEscapes: key.hasEscapes)
    }

    package mutating func beginArray() throws(JSONError) {
        try self.open(.init(ascii: "["))
    }

    /// Whether there is another element to read; false closes the array.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try self.advance(closing: .init(ascii: "]"))
    }

    /// Checks that nothing but white space follows the document.
    package mutating func end() throws(JSONError) {
        self.skipWhitespace()
        guard self.offset == self.bytes.count else { throw self.failure(.trailingBytes) }
    }

    /// Passes over one value of any type, checking all of it.
    package mutating func skip() throws(JSONError) {
        self.skipWhitespace()
        switch try self.next() {
        case .init(ascii: "{"):
            try self.beginObject()
            while try self.nextKey() != nil { try self.skip() }
        case .init(ascii: "["):
            try self.beginArray()
            while try self.nextElement() { try self.skip() }
        case .init(ascii: "\""): _ = try self.scanString()
        case .init(ascii: "t"): try self.scanLiteral("true")
        case .init(ascii: "f"): try self.scanLiteral("false")
        case .init(ascii: "n"): try self.scanLiteral("null")
        default: _ = try self.scanNumber()
        }
    }

    private mutating func open(_ bracket: UInt8) throws(JSONError) {
        self.skipWhitespace()
        guard try self.next() == bracket else { throw self.failure(.wrongType) }
        guard self.depth < Self.maximumDepth else { throw self.failure(.tooDeep) }
        self.depth += 1
        self.offset += 1
        self.isFresh = true
    }

    /// Moves to the next member or element; false when the container ends here, and then it is closed.
    private mutating func advance(closing bracket: UInt8) throws(JSONError) -> Bool {
        self.skipWhitespace()
        let byte = try self.next()
        if byte == bracket {
            self.offset += 1
            self.depth -= 1
            self.isFresh = false
            return false
        }
        if !self.isFresh {
            guard byte == .init(ascii: ",") else { throw self.failure(.syntax) }
            self.offset += 1
            self.skipWhitespace()
        }
        self.isFresh = false
        return true
    }

    private mutating func scanKey() throws(JSONError) -> JSONKey {
        guard try self.next() == .init(ascii: "\"") else { throw self.failure(.syntax) }
        let start = self.offset
        let (content, hasEscapes) = try self.scanString()
        let key = self.key(content, hasEscapes: hasEscapes)
        let first = self.firstKey
        guard self.keys.count - first < Self.maximumMembers else {
            throw JSONError(code: .tooManyMembers, offset: start)
        }
        for index in first..<self.keys.count where self.keys[index].mayEqual(key) {
            guard key.count > JSONKey.inlineBytes, self.unescaped(self.keys[index]) != self.unescaped(key) else {
                throw JSONError(code: .duplicateKey, offset: start)
            }
        }
        self.keys.append(key)
        return key
    }

    /// Of the innermost object.
    private var firstKey: Int { Int(self.firstKeys[self.openObjects - 1]) }

    private func key(_ content: Range<Int>, hasEscapes: Bool) -> JSONKey {
        if hasEscapes {
            return self.unescaped(content, hasEscapes: true).withUnsafeBytes {
                JSONKey($0, content: content, hasEscapes: true)
            }
        }
        return self.bytes.withUnsafeBytes {
            JSONKey(UnsafeRawBufferPointer(rebasing: $0[content]), content: content, hasEscapes: false)
        }
    }

    // MARK: Bytes

    func failure(_ code: JSONError.Code) -> JSONError { JSONError(code: code, offset: self.offset) }

    func next() throws(JSONError) -> UInt8 {
        guard self.offset < self.bytes.count else { throw self.failure(.truncated) }
        return self.bytes[self.offset]
    }

    @inline(__always)
    mutating func skipWhitespace() {
        guard self.offset < self.bytes.count, self.bytes[self.offset] <= 0x20 else { return }
        self.skipSomeWhitespace()
    }

    private mutating func skipSomeWhitespace() {
        while self.offset < self.bytes.count {
            switch self.bytes[self.offset] {
            case 0x20, 0x09, 0x0A, 0x0D: self.offset += 1
            default: return
            }
        }
    }

    mutating func scanLiteral(_ literal: StaticString) throws(JSONError) {
        let end = self.offset + literal.utf8CodeUnitCount
        guard end <= self.bytes.count else { throw self.failure(.truncated) }
        let matches = literal.withUTF8Buffer { $0.elementsEqual(self.bytes[self.offset..<end]) }
        guard matches else { throw self.failure(.syntax) }
        self.offset = end
    }
}
