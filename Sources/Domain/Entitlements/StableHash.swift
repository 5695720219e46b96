/// FNV-1a. Swift's own hashes differ from process to process, and these are stored.
struct StableHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    var folded: UInt32 { UInt32(truncatingIfNeeded: self.value ^ self.value >> 32) }

    mutating func combine(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { for byte in $0 { self.combine(byte) } }
    }

    /// With its length, so that neighbours do not run together.
    mutating func combine(_ text: String) {
        self.combine(Int64(text.utf8.count))
        for byte in text.utf8 { self.combine(byte) }
    }

    private mutating func combine(_ byte: UInt8) {
        self.value = (self.value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
