import Foundation

extension ProtoIdentifier {
    init(_ text: String) {
        if let number = UInt64(canonical: text) {
            self.number = number
        } else if let uuid = UUIDBytes(text) {
            self.form = uuid.isUpperCase ? .upperCaseUuid(Data(uuid.bytes)) : .uuid(Data(uuid.bytes))
        } else {
            self.text = text
        }
    }

    func spelling() throws(WireError) -> String {
        switch self.form {
        case .text(let text): text
        case .number(let number): String(number)
        case .uuid(let bytes): try UUIDBytes.text(of: bytes, isUpperCase: false)
        case .upperCaseUuid(let bytes): try UUIDBytes.text(of: bytes, isUpperCase: true)
        case nil: throw WireError(.malformed, "an identifier without a form")
        }
    }
}

extension UInt64 {
    /// nil unless `text` is what the number is written as.
    init?(canonical text: String) {
        let fast = text.utf8.withContiguousStorageIfAvailable { Self.number(of: $0) }
        guard let number = fast ?? Self.number(of: Array(text.utf8)) else { return nil }
        self = number
    }

    private static func number(of digits: some RandomAccessCollection<UInt8>) -> UInt64? {
        // The largest has twenty digits.
        guard let first = digits.first, digits.count <= 20, first != UInt8(ascii: "0") || digits.count == 1 else {
            return nil
        }
        var number: UInt64 = 0
        for byte in digits.prefix(19) {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number &* 10 &+ UInt64(digit)
        }
        for byte in digits.dropFirst(19) {
            let digit = byte &- UInt8(ascii: "0")
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            guard digit < 10, !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }
}

/// A UUID as it was written: 8-4-4-4-12 digits, all of one case.
struct UUIDBytes {
    let bytes: [UInt8]
    let isUpperCase: Bool

    /// nil unless `text` is what `text(of:isUpperCase:)` would give back.
    init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var bytes = [UInt8]()
        bytes.reserveCapacity(16)
        var high: UInt8?
        var hasUpperCase = false
        var hasLowerCase = false
        for (place, byte) in text.utf8.enumerated() {
            if Self.isHyphen(at: place) {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                digit = byte - UInt8(ascii: "a") + 10
                hasLowerCase = true
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                digit = byte - UInt8(ascii: "A") + 10
                hasUpperCase = true
            default:
                return nil
            }
            if let first = high { bytes.append(first << 4 | digit) }
            high = high == nil ? digit : nil
        }
        guard !(hasUpperCase && hasLowerCase) else { return nil }
        self.bytes = bytes
        self.isUpperCase = hasUpperCase
    }

    /// What was written as these bytes.
    static func text(of bytes: some Collection<UInt8>, isUpperCase: Bool) throws(WireError) -> String {
        guard bytes.count == 16 else { throw WireError(.malformed, "a UUID has 16 bytes") }
        let afterNine = UInt8(ascii: isUpperCase ? "A" : "a") - 10
        return String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            func append(_ digit: UInt8) {
                text[place] = digit + (digit < 10 ? UInt8(ascii: "0") : afterNine)
                place += 1
            }
            for byte in bytes {
                if Self.isHyphen(at: place) {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                append(byte >> 4)
                append(byte & 0xF)
            }
            return place
        }
    }

    private static func isHyphen(at place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }
}

extension String {
    /// `==` takes canonically equivalent texts for the same; what is stored has to come back byte for byte.
    func hasSameBytes(as other: String) -> Bool {
        guard self.utf8.count == other.utf8.count else { return false }
        // Texts of Swift's own are contiguous; comparing their views would go byte by byte through both.
        let answer = self.utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard let left = own.baseAddress, let right = other.baseAddress else { return own.isEmpty }
                return memcmp(left, right, own.count) == 0
            }
        }
        return answer.flatMap(\.self) ?? self.utf8.elementsEqual(other.utf8)
    }
}
