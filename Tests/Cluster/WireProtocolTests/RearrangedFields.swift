extension Randomness {
    /// A message with its fields in another order, here and there one twice or one that the schema does not have, in
    /// messages within it as well. What is not made of fields stays as it is.
    mutating func rearranged(_ bytes: [UInt8]) -> [UInt8] {
        guard var fields = Self.fields(of: bytes), !fields.isEmpty else { return bytes }
        for place in fields.indices where self.chance(1, in: 3) { fields[place] = self.within(fields[place]) }
        for _ in 0..<Int.random(in: 0...2, using: &self) { fields.append(self.pick(fields)) }
        if self.chance(1, in: 3) { fields.append(self.pick(Self.unknown)) }
        if self.chance(1, in: 2) { fields.shuffle(using: &self) }
        return Array(fields.joined())
    }

    private mutating func within(_ field: [UInt8]) -> [UInt8] {
        guard field[0] & 7 == 2, let tag = field.firstIndex(where: { $0 < 0x80 }),
            let length = field[(tag + 1)...].firstIndex(where: { $0 < 0x80 })
        else { return field }
        let content = self.rearranged(Array(field[(length + 1)...]))
        return field[...tag] + Self.varint(content.count) + content
    }

    /// nil when these are not the fields of a message.
    private static func fields(of bytes: [UInt8]) -> [[UInt8]]? {
        var fields: [[UInt8]] = []
        var rest = bytes[...]
        while let first = rest.first {
            guard let tag = Self.varint(at: rest), let value = Self.varint(at: rest[tag.end...]), first > 7 else {
                return nil
            }
            var end = value.end
            switch first & 7 {
            case 0: break
            case 2: end += value.number
            default: return nil
            }
            guard end <= rest.endIndex else { return nil }
            fields.append(Array(rest[..<end]))
            rest = rest[end...]
        }
        return fields
    }

    private static func varint(at bytes: ArraySlice<UInt8>) -> (number: Int, end: Int)? {
        guard let last = bytes.prefix(10).firstIndex(where: { $0 < 0x80 }) else { return nil }
        guard last - bytes.startIndex < 5 else { return (0, last + 1) }
        return (bytes[...last].reversed().reduce(0) { $0 << 7 | Int($1 & 0x7F) }, last + 1)
    }

    private static func varint(_ number: Int) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + Self.varint(number >> 7)
    }

    /// A number, eight bytes, some bytes, four bytes, and groups, one of them not closed; in fields that are not known,
    /// or known with another type, or for a word that is not.
    private static let unknown: [[UInt8]] = [
        [0xB8, 0x3E, 0x01], [0xB9, 0x3E, 1, 2, 3, 4, 5, 6, 7, 8], [0xBA, 0x3E, 2, 0xFF, 0xFF],
        [0xBD, 0x3E, 1, 2, 3, 4], [0xBB, 0x3E, 0x08, 0x01, 0xBC, 0x3E], [0xBB, 0x3E], [0x0B, 0x0C],
        [0x09, 1, 2, 3, 4, 5, 6, 7, 8], [0x10, 0x01], [0x1D, 1, 2, 3, 4], [0x18, 0x07], [0x1A, 0x00], [0x28, 0x63],
    ]
}
