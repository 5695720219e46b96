/// An unsigned integer of 256 bits in four limbs, the least significant first.
struct Integer256: Equatable {
    var limbs: (UInt64, UInt64, UInt64, UInt64)

    init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        self.limbs = (first, second, third, fourth)
    }

    /// - Precondition: at least 32 bytes, of which the first 32 count.
    init(bigEndian bytes: UnsafeRawBufferPointer) {
        func limb(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        self.init(limb(24), limb(16), limb(8), limb(0))
    }

    static let zero = Integer256(0, 0, 0, 0)
    static let one = Integer256(1, 0, 0, 0)

    static func == (left: Self, right: Self) -> Bool { left.limbs == right.limbs }

    @inline(__always)
    static func < (left: Self, right: Self) -> Bool { left.subtracting(right).borrows }

    /// `other` where `condition` holds, without a branch: which way it goes is a coin's toss each time.
    @inline(__always)
    func replaced(by other: Self, if condition: Bool) -> Self {
        let mask: UInt64 = condition ? .max : 0
        func chosen(_ own: UInt64, _ other: UInt64) -> UInt64 { own ^ (own ^ other) & mask }
        return Self(
            chosen(self.limbs.0, other.limbs.0), chosen(self.limbs.1, other.limbs.1),
            chosen(self.limbs.2, other.limbs.2), chosen(self.limbs.3, other.limbs.3))
    }

    @inline(__always)
    func adding(_ other: Self) -> (sum: Self, carries: Bool) {
        var carry: UInt64 = 0
        let sum = Self(
            add(self.limbs.0, other.limbs.0, &carry), add(self.limbs.1, other.limbs.1, &carry),
            add(self.limbs.2, other.limbs.2, &carry), add(self.limbs.3, other.limbs.3, &carry))
        return (sum, carry != 0)
    }

    @inline(__always)
    func subtracting(_ other: Self) -> (difference: Self, borrows: Bool) {
        var borrow: UInt64 = 0
        let difference = Self(
            subtract(self.limbs.0, other.limbs.0, &borrow), subtract(self.limbs.1, other.limbs.1, &borrow),
            subtract(self.limbs.2, other.limbs.2, &borrow), subtract(self.limbs.3, other.limbs.3, &borrow))
        return (difference, borrow != 0)
    }
}
