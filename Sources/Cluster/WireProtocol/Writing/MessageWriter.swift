/// Writes a message of `proto/` field by field, in ascending order, which gives the bytes that SwiftProtobuf gives: a
/// test holds it to that. By hand because each notification writes an event and a state, and a generated message would be
/// filled and visited twice for each.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    init(reservingCapacity capacity: Int) { self.bytes.reserveCapacity(capacity) }

    /// What stands before a message, and is no part of it.
    mutating func write(raw bytes: [UInt8]) { self.bytes.append(contentsOf: bytes) }

    // MARK: Fields that are left out when they have their default value

    mutating func write(_ number: Int64, _ field: Int) {
        if number != 0 { self.write(present: number, field) }
    }

    mutating func write(_ flag: Bool, _ field: Int) {
        if flag { self.write(present: 1, field) }
    }

    mutating func write(_ text: String, _ field: Int) {
        if !text.isEmpty { self.write(present: text, field) }
    }

    // MARK: Fields that know whether they are there

    mutating func write(_ number: Int64?, _ field: Int) {
        if let number { self.write(present: number, field) }
    }

    mutating func write(_ flag: Bool?, _ field: Int) {
        if let flag { self.write(present: flag ? 1 : 0, field) }
    }

    mutating func write(_ text: String?, _ field: Int) {
        if let text { self.write(present: text, field) }
    }

    mutating func write(present number: Int64, _ field: Int) {
        self.tag(field, wireType: 0)
        self.varint(UInt64(bitPattern: number))
    }

    /// Eight bytes, whatever the number.
    mutating func write(fixed number: UInt64, _ field: Int) {
        guard number != 0 else { return }
        self.tag(field, wireType: 1)
        withUnsafeBytes(of: number.littleEndian) { self.bytes.append(contentsOf: $0) }
    }

    mutating func write(present text: String, _ field: Int) {
        self.tag(field, wireType: 2)
        self.varint(UInt64(text.utf8.count))
        self.bytes.append(contentsOf: text.utf8)
    }

    mutating func write(_ content: some Collection<UInt8>, _ field: Int) {
        self.tag(field, wireType: 2)
        self.varint(UInt64(content.count))
        self.bytes.append(contentsOf: content)
    }

    /// A message inside this one, written by `body`.
    /// - Parameter size: in bytes, when it is known to be large.
    mutating func message<Failure: Error>(
        _ field: Int, reserving size: Int = 0, _ body: (inout MessageWriter) throws(Failure) -> Void
    ) throws(Failure) {
        if self.bytes.capacity < self.bytes.count + size {
            self.bytes.reserveCapacity(max(2 * self.bytes.capacity, self.bytes.count + size))
        }
        self.tag(field, wireType: 2)
        let start = self.bytes.count
        self.bytes.append(0)
        try body(&self)
        self.finishLength(of: self.bytes.count - start - 1, at: start)
    }

    /// Room for one byte was left for the length of what follows it.
    private mutating func finishLength(of count: Int, at start: Int) {
        let more = (Int.bitWidth - count.leadingZeroBitCount + 6) / 7 - 1
        if more > 0 {
            self.bytes.append(contentsOf: repeatElement(0, count: more))
            self.bytes.withUnsafeMutableBytes { bytes in
                let content = UnsafeRawBufferPointer(rebasing: bytes[(start + 1)...].prefix(count))
                UnsafeMutableRawBufferPointer(rebasing: bytes[(start + 1 + more)...]).copyMemory(from: content)
            }
        }
        var (place, rest) = (start, count)
        while rest > 0x7F {
            self.bytes[place] = UInt8(truncatingIfNeeded: rest) | 0x80
            place += 1
            rest >>= 7
        }
        self.bytes[place] = UInt8(rest)
    }

    mutating func varint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(rest))
    }

    private mutating func tag(_ field: Int, wireType: UInt64) { self.varint(UInt64(field) << 3 | wireType) }
}
