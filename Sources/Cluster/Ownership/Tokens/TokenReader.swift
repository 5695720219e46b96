import ByteCoding

/// Reads what `TokenWriter` wrote; every method gives nil for anything else.
struct TokenReader {
    let store: StoreStamp
    private var rest: ArraySlice<UInt8>

    init?(text: String, format: TokenFormat) {
        guard text.utf8.count <= TokenFormat.maximumLength, let bytes = Base64.url.decode(Array(text.utf8)[...]),
            bytes.count >= 14,
            bytes[0] == format.rawValue, TokenFormat.checksum(bytes.dropLast(4)) == bytes.suffix(4)
        else { return nil }
        let storeID = bytes[1..<9].reduce(0) { $0 << 8 | UInt64($1) }
        var rest = bytes[9..<(bytes.count - 4)]
        guard let generation = Self.number(from: &rest) else { return nil }
        self.store = StoreStamp(storeID: storeID, restoreGeneration: Int64(bitPattern: generation))
        self.rest = rest
    }

    var isAtEnd: Bool { self.rest.isEmpty }

    private static func number(from rest: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst() {
            guard shift < 63 || byte <= 1 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            guard byte >= 0x80 else { return number }
            shift += 7
        }
        return nil
    }

    mutating func number<Number: FixedWidthInteger>(as type: Number.Type) -> Number? {
        Self.number(from: &self.rest).flatMap(Number.init(exactly:))
    }

    mutating func blob() -> [UInt8]? {
        guard let count = self.number(as: Int.self), count <= self.rest.count else { return nil }
        defer { self.rest = self.rest.dropFirst(count) }
        return Array(self.rest.prefix(count))
    }
}
