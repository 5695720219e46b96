/// Reads a message of Protocol Buffers from front to back, without copying it: fields by number, nested messages and
/// texts as places in the body. By hand because a check is answered in less time than a message object takes to make;
/// a test holds it against SwiftProtobuf.
struct ProtobufScanner {
    enum Wire: UInt64 {
        case varint = 0
        case eightBytes = 1
        case bytes = 2
        case fourBytes = 5
    }

    struct Field {
        let number: UInt64
        let wire: Wire
    }

    /// The bytes are no message.
    struct Malformed: Error {}

    let bytes: [UInt8]
    private var offset: Int
    private let end: Int

    init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    /// - Parameter range: of one message in `bytes`.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.offset = range.lowerBound
        self.end = range.upperBound
    }

    /// nil at the end. Each field must be read or skipped once.
    mutating func nextField() throws(Malformed) -> Field? {
        guard self.offset < self.end else { return nil }
        let tag = try self.varint()
        // Groups are long gone: nobody who speaks of checks writes them.
        guard let wire = Wire(rawValue: tag & 7), (1..<1 << 29).contains(tag >> 3) else { throw Malformed() }
        return Field(number: tag >> 3, wire: wire)
    }

    mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while self.offset < self.end, shift < 70 {
            let byte = self.bytes[self.offset]
            self.offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Malformed()
    }

    /// Where the content of a field of bytes stands.
    mutating func content() throws(Malformed) -> Range<Int> {
        guard let count = Int(exactly: try self.varint()), count <= self.end - self.offset else { throw Malformed() }
        defer { self.offset += count }
        return self.offset..<(self.offset + count)
    }

    mutating func skip(_ wire: Wire) throws(Malformed) {
        switch wire {
        case .varint: _ = try self.varint()
        case .bytes: _ = try self.content()
        case .eightBytes: try self.pass(8)
        case .fourBytes: try self.pass(4)
        }
    }

    private mutating func pass(_ count: Int) throws(Malformed) {
        guard count <= self.end - self.offset else { throw Malformed() }
        self.offset += count
    }
}
