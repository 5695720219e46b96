import SwiftProtobuf

/// Walks the fields of a message of `proto/`. By hand because a replay reads each event of the log, and a generated
/// message would be filled only to be taken apart again.
///
/// It reads what is written here: fields in ascending order, each with the type of the schema. Whatever else protobuf
/// allows it refuses rather than misreads; see `read(_:as:_:)`. It points into the bytes and does not outlive them.
struct MessageReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var wireType: UInt64 = 0

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// What `body` makes of a message. When it refuses, SwiftProtobuf decides whether these bytes are a message at all,
    /// and puts them in the form that `body` expects: one message for those that are to be merged, a list before the
    /// places in it, and nothing that the schema does not have.
    static func read<Value, Message: SwiftProtobuf.Message>(
        _ bytes: [UInt8], as type: Message.Type, _ body: (MessageReader) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        do throws(WireError) {
            return try Self.read(bytes, body)
        } catch {
            return try Self.read(Message(decoding: bytes, discardingUnknownFields: true).encoded(), body)
        }
    }

    private static func read<Value>(
        _ bytes: [UInt8], _ body: (MessageReader) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        try bytes.withUnsafeBufferPointer { bytes throws(WireError) in
            try body(MessageReader(UnsafeRawBufferPointer(bytes)))
        }
    }

    /// The number of the next field, whose content has to be read or skipped before the one after it; nil at the end.
    mutating func nextField() throws(WireError) -> Int? {
        let start = self.position
        guard start < self.bytes.count else { return nil }
        let tag = try self.varint()
        guard tag >> 3 > 0, tag <= UInt32.max, self.position - start <= 5 else {
            throw WireError(.malformed, "not the tag of a field")
        }
        self.wireType = tag & 7
        return Int(tag >> 3)
    }

    // MARK: The content of a field

    mutating func integer() throws(WireError) -> Int64 { Int64(bitPattern: try self.number()) }

    /// An `enum`, whose words need not be known.
    mutating func word() throws(WireError) -> Int { Int(Int32(truncatingIfNeeded: try self.number())) }

    mutating func flag() throws(WireError) -> Bool { try self.number() != 0 }

    mutating func number() throws(WireError) -> UInt64 {
        try self.expect(wireType: 0)
        return try self.varint()
    }

    /// Of eight bytes.
    mutating func fixed() throws(WireError) -> UInt64 {
        try self.expect(wireType: 1)
        return UInt64(littleEndian: try self.take(8).loadUnaligned(as: UInt64.self))
    }

    mutating func text() throws(WireError) -> String {
        let content = try self.content().assumingMemoryBound(to: UInt8.self)
        guard let text = try? UTF8Span(validating: content.span) else {
            throw WireError(.malformed, "a text that is not UTF-8")
        }
        return String(copying: text)
    }

    mutating func message() throws(WireError) -> MessageReader { MessageReader(try self.content()) }

    /// A message that may be there only once: protobuf would merge a second one into the first.
    mutating func message(unless first: Bool) throws(WireError) -> MessageReader {
        guard !first else { throw WireError(.malformed, "a message that is there twice") }
        return try self.message()
    }

    /// A copy of the message, for SwiftProtobuf.
    var copy: [UInt8] { Array(self.bytes) }

    /// Numbers of an `enum`, one after another.
    mutating func packed(_ body: (Int) throws(WireError) -> Void) throws(WireError) {
        var numbers = try self.message()
        while numbers.position < numbers.bytes.count { try body(Int(Int32(truncatingIfNeeded: try numbers.varint()))) }
    }

    /// Numbers of 64 bits, packed or one by one.
    mutating func numbers(_ body: (UInt64) -> Void) throws(WireError) {
        guard self.wireType == 2 else { return body(try self.number()) }
        var numbers = try self.message()
        while numbers.position < numbers.bytes.count { body(try numbers.varint()) }
    }

    mutating func data() throws(WireError) -> [UInt8] { Array(try self.content()) }

    mutating func content() throws(WireError) -> UnsafeRawBufferPointer {
        try self.expect(wireType: 2)
        return try self.take(self.varint())
    }

    mutating func skip() throws(WireError) {
        switch self.wireType {
        case 0: _ = try self.varint()
        case 1: _ = try self.take(8)
        case 2: _ = try self.take(self.varint())
        case 5: _ = try self.take(4)
        default: throw WireError(.malformed, "a field of type \(self.wireType)")
        }
    }

    private func expect(wireType: UInt64) throws(WireError) {
        guard self.wireType == wireType else { throw WireError(.malformed, "a field of type \(self.wireType)") }
    }

    private mutating func take(_ count: UInt64) throws(WireError) -> UnsafeRawBufferPointer {
        let start = self.position
        guard count <= UInt64(self.bytes.count - start) else { throw WireError(.malformed, "a field beyond the end") }
        self.position += Int(count)
        return UnsafeRawBufferPointer(rebasing: self.bytes[start..<self.position])
    }

    private mutating func varint() throws(WireError) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while self.position < self.bytes.count, shift < 64 {
            let byte = self.bytes[self.position]
            self.position += 1
            number |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return number }
            shift += 7
        }
        throw WireError(.malformed, "not a number")
    }
}
