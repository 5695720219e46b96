import EventLog

/// Reads bytes that may be damaged: every read is checked, and throws `.corrupt`.
struct ByteReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }
    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { self.bytes.isEmpty }
    var count: Int { self.bytes.count }

    mutating func byte() throws(StoreError) -> UInt8 {
        guard let byte = self.bytes.popFirst() else { throw .damagedEvidence }
        return byte
    }

    /// A LEB128 number of at most 28 bits.
    mutating func number(upTo limit: Int) throws(StoreError) -> Int {
        var number = 0
        for shift in [0, 7, 14, 21] {
            let byte = try self.byte()
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 {
                guard number <= limit else { throw .damagedEvidence }
                return number
            }
        }
        throw .damagedEvidence
    }

    mutating func prefix(_ count: Int) throws(StoreError) -> ArraySlice<UInt8> {
        guard count <= self.bytes.count else { throw .damagedEvidence }
        defer { self.bytes = self.bytes.dropFirst(count) }
        return self.bytes.prefix(count)
    }

    mutating func suffix(_ count: Int) throws(StoreError) -> ArraySlice<UInt8> {
        guard count <= self.bytes.count else { throw .damagedEvidence }
        defer { self.bytes = self.bytes.dropLast(count) }
        return self.bytes.suffix(count)
    }

    mutating func rest() -> ArraySlice<UInt8> {
        defer { self.bytes = [] }
        return self.bytes
    }
}

extension [UInt8] {
    /// Appends `number`, at least 0, as LEB128.
    mutating func appendNumber(_ number: Int) {
        var number = number
        while number >= 0x80 {
            self.append(UInt8(truncatingIfNeeded: number) | 0x80)
            number >>= 7
        }
        self.append(UInt8(number))
    }
}

extension StoreError {
    static var damagedEvidence: StoreError { StoreError(.corrupt, "the evidence is not what was written") }
}
