/// The publisher's own id of a person: 1…128 bytes of UTF-8 without control characters. Ids compare by their bytes, but one in
/// the form of a UUID is the same in any case.
package struct CustomerID: Hashable, Comparable, Sendable {
    /// A UUID in lower case, anything else as it was written.
    package let rawValue: String

    package static let lengths = 1...128

    /// nil for a text that cannot be an id.
    package init?(_ text: String) {
        guard Self.lengths.contains(text.utf8.count), !Self.hasControl(text) else { return nil }
        self.rawValue = AccountToken(text)?.rawValue ?? text
    }

    /// Of most ids the bytes say enough.
    private static func hasControl(_ text: String) -> Bool {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return false }
        return text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// An id as it was stored, whatever earlier versions accepted.
    package init(stored text: String) { self.rawValue = AccountToken(text)?.rawValue ?? text }

    package static func == (left: Self, right: Self) -> Bool { left.rawValue.utf8.elementsEqual(right.rawValue.utf8) }

    package static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = self.rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Apple's `appAccountToken`: a UUID, accepted in any case, kept and compared in lower case.
package struct AccountToken: Hashable, Sendable {
    package let rawValue: String

    /// nil for a text that is not a UUID in the form of RFC 9562.
    package init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var place = 0
        var hasCapitals = false
        for byte in text.utf8 {
            switch place {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return nil }
            default:
                guard (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20) else { return nil }
                hasCapitals = hasCapitals || (0x41...0x46).contains(byte)
            }
            place += 1
        }
        self.rawValue = hasCapitals ? text.lowercased() : text
    }
}
