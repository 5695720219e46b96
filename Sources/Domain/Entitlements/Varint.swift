extension [UInt8] {
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.append(UInt8(rest))
    }
}

/// Reads what `appendVarint` and its like write, from bytes that may be anything.
struct VarintReader {
    var bytes: ArraySlice<UInt8>

    var isAtEnd: Bool { self.bytes.isEmpty }

    mutating func byte() throws(EntitlementRowError) -> UInt8 {
        guard let byte = self.bytes.popFirst() else { throw .malformed }
        return byte
    }

    mutating func varint() throws(EntitlementRowError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let byte = try self.byte()
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits <= 1 else { throw .malformed }
            value |= bits << shift
            if byte < 0x80 { return value }
        }
        throw .malformed
    }

    mutating func count(atMost limit: Int) throws(EntitlementRowError) -> Int {
        guard let count = Int(exactly: try self.varint()), count <= limit else { throw .malformed }
        return count
    }

    mutating func text(_ count: Int) throws(EntitlementRowError) -> String {
        guard count <= self.bytes.count, let text = String(validating: self.bytes.prefix(count), as: UTF8.self) else {
            throw .malformed
        }
        self.bytes = self.bytes.dropFirst(count)
        return text
    }
}
