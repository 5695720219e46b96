import Subscriptions

/// The id of a stream as a mirror compares it. Apple's are decimal numbers, which fit a word; every other text is
/// compared byte for byte, so that no two ids are ever taken for each other.
package enum MirrorID: Hashable, Sendable {
    /// Digits without a leading zero, at most 2^64 − 1.
    case decimal(UInt64)
    case text([UInt8])

    package init(_ id: String) {
        var id = id
        self = id.withUTF8 { MirrorID(utf8: UnsafeRawBufferPointer($0)) }
    }

    package init(utf8 id: ArraySlice<UInt8>) { self = id.withUnsafeBytes { MirrorID(utf8: $0) } }

    /// - Parameter id: the bytes of its text; any are allowed.
    @inline(__always)
    package init(utf8 id: UnsafeRawBufferPointer) {
        if let number = Self.number(id) { self = .decimal(number) } else { self = .text(Array(id)) }
    }

    /// nil unless `id` is how a number is written.
    @inline(__always)
    static func number(_ id: UnsafeRawBufferPointer) -> UInt64? {
        guard 9...16 ~= id.count else { return Self.numberOfUnusualLength(id) }
        // The first eight digits without those that are among the last eight, which the shift leaves out.
        let shift = UInt64(16 &- id.count) &* 8
        let start = id.loadUnaligned(as: UInt64.self).littleEndian
        let zeros = 0x3030_3030_3030_3030 & (1 &<< shift &- 1)
        guard UInt8(truncatingIfNeeded: start) != UInt8(ascii: "0"),
            let high = Self.eightDigits(start &<< shift | zeros),
            let low = Self.eightDigits(
                id.loadUnaligned(fromByteOffset: id.count &- 8, as: UInt64.self).littleEndian)
        else { return nil }
        return high &* 100_000_000 &+ low
    }

    @inline(never)
    private static func numberOfUnusualLength(_ id: UnsafeRawBufferPointer) -> UInt64? {
        guard 1...20 ~= id.count, id[0] != UInt8(ascii: "0") || id.count == 1 else { return nil }
        var value: UInt64 = 0
        for byte in id {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !overflow else { return nil }
            value = sum
        }
        return value
    }

    /// The number that eight characters write, the first in the lowest byte, all of them at once (Lemire's
    /// `parse_eight_digits_unrolled`).
    @inline(__always)
    private static func eightDigits(_ characters: UInt64) -> UInt64? {
        var digits = characters
        // "0" to "9" are the bytes whose upper half is 3, and still is when 6 is added.
        guard digits & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030,
            (digits &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
        else { return nil }
        digits &-= 0x3030_3030_3030_3030
        digits = digits &* 10 &+ digits >> 8
        let low = (digits & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
        let high = (digits >> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
        return (low &+ high) >> 32
    }

    /// Of the id in its kind: the place in the table.
    /// - Parameter kind: its raw value.
    @inline(__always)
    func hash(_ kind: UInt8) -> UInt64 {
        switch self {
        case .decimal(let number): Self.hash(number, kind)
        case .text(let bytes): bytes.withUnsafeBytes { Self.hash(text: $0, kind) }
        }
    }

    @inline(__always)
    static func hash(_ number: UInt64, _ kind: UInt8) -> UInt64 {
        self.mix(number &+ UInt64(kind) &* 0x9E37_79B9_7F4A_7C15)
    }

    static func hash(text: UnsafeRawBufferPointer, _ kind: UInt8) -> UInt64 {
        var hash = UInt64(kind) &+ 0xCBF2_9CE4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return self.mix(hash)
    }

    /// The end of MurmurHash3: each bit of the input counts for each bit of the result.
    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ bits >> 33) &* 0xFF51_AFD7_ED55_8CCD
        bits = (bits ^ bits >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return bits ^ bits >> 33
    }
}
