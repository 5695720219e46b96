/// Writes one JSON document as bytes, front to back. Commas and escapes are its business; that keys differ is the
/// caller's.
///
///     var json = JSONWriter()
///     json.object { json in
///         json.member("id", id)
///         json.member("tags") { $0.array { $0.value("a") } }
///     }
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(reservingCapacity capacity: Int = 256) { self.bytes.reserveCapacity(capacity) }

    // MARK: Structure

    package mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try self.bracketed(.init(ascii: "{"), .init(ascii: "}"), body)
    }

    package mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try self.bracketed(.init(ascii: "["), .init(ascii: "]"), body)
    }

    /// A member whose value `body` writes: exactly one.
    package mutating func member<E: Error>(_ key: String, _ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        self.key(key)
        try body(&self)
    }

    // MARK: Members; nil is written as `null`

    package mutating func member(_ key: String, _ value: String?) {
        self.key(key)
        if let value { self.value(value) } else { self.null() }
    }

    package mutating func member(_ key: String, _ value: Int64?) {
        self.key(key)
        if let value { self.value(value) } else { self.null() }
    }

    package mutating func member(_ key: String, _ value: Bool?) {
        self.key(key)
        if let value { self.value(value) } else { self.null() }
    }

    // MARK: Members that are left out when nil

    package mutating func member(_ key: String, ifPresent value: String?) {
        if let value { self.member(key, value) }
    }

    package mutating func member(_ key: String, ifPresent value: Int64?) {
        if let value { self.member(key, value) }
    }

    package mutating func member(_ key: String, ifPresent value: Bool?) {
        if let value { self.member(key, value) }
    }

    // MARK: Values

    package mutating func value(_ text: String) {
        self.separate()
        self.appendText(text)
    }

    package mutating func value(_ number: Int64) {
        self.separate()
        Self.append(number, to: &self.bytes)
    }

    /// - Precondition: it is finite.
    package mutating func value(decimal number: Double) {
        precondition(number.isFinite, "JSON has no word for it")
        if let whole = Int64(exactly: number) { return self.value(whole) }
        self.separate()
        self.bytes.append(contentsOf: number.description.utf8)
    }

    package mutating func value(_ bool: Bool) {
        self.separate()
        self.bytes.append(contentsOf: (bool ? "true" : "false").utf8)
    }

    package mutating func null() {
        self.separate()
        self.bytes.append(contentsOf: "null".utf8)
    }

    /// A value that is JSON already.
    package mutating func raw(_ json: some Collection<UInt8>) {
        self.separate()
        self.bytes.append(contentsOf: json)
    }

    private mutating func key(_ key: String) {
        self.separate()
        self.appendText(key)
        self.bytes.append(.init(ascii: ":"))
        self.needsComma = false
    }

    private mutating func bracketed<E: Error>(
        _ opening: UInt8, _ closing: UInt8, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        self.separate()
        self.bytes.append(opening)
        self.needsComma = false
        try body(&self)
        self.bytes.append(closing)
        self.needsComma = true
    }

    private mutating func separate() {
        if self.needsComma { self.bytes.append(.init(ascii: ",")) }
        self.needsComma = true
    }

    private mutating func appendText(_ text: String) { Self.append(text, to: &self.bytes) }

    // MARK: Pieces, for those who write a value themselves

    /// Appends a text with its quotes.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(.init(ascii: "\""))
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        if Self.mustEscape(bytes, from: start) {
            bytes.removeLast(bytes.count - start)
            for byte in text.utf8 { Self.append(escaping: byte, to: &bytes) }
        }
        bytes.append(.init(ascii: "\""))
    }

    private static func mustEscape(_ bytes: [UInt8], from start: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var offset = PlainText.end(in: bytes, from: start)
            // What is not ASCII stands as it is.
            while offset < bytes.count, bytes[offset] >= 0x80 { offset = PlainText.end(in: bytes, from: offset + 1) }
            return offset < bytes.count
        }
    }

    package static func append(_ number: Int64, to bytes: inout [UInt8]) {
        // -2^63 has 20 characters.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
            var start = buffer.count
            var rest = number.magnitude
            repeat {
                start -= 1
                buffer[start] = .init(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                start -= 1
                buffer[start] = .init(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[start...]))
        }
    }

    private static func append(escaping byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case .init(ascii: "\""), .init(ascii: "\\"):
            bytes.append(.init(ascii: "\\"))
            bytes.append(byte)
        case .init(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
        case .init(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
        case .init(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
        case ..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 0xF)])
        default: bytes.append(byte)
        }
    }
}
