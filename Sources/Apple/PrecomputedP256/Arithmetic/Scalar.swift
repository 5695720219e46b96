/// An integer modulo the order n of P-256's base point (NIST SP 800-186 §3.2.1.3).
struct Scalar {
    /// Below n.
    let integer: Integer256

    static let order = Integer256(
        0xF3B9_CAC2_FC63_2551, 0xBCE6_FAAD_A717_9E84, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_0000_0000)
    /// −n⁻¹ mod 2⁶⁴.
    private static let negatedInverse: UInt64 = 0xCCD1_C8AA_EE00_BC4F
    /// 2⁵¹² mod n.
    private static let intoForm = Scalar(
        reduced: Integer256(0x8324_4C95_BE79_EEA2, 0x4699_799C_49BD_6FA6, 0x2845_B239_2B6B_EC59, 0x66E1_2D94_F3D9_5620))

    private init(reduced integer: Integer256) { self.integer = integer }

    /// - Returns: nil unless below n.
    init?(_ integer: Integer256) {
        guard integer < Self.order else { return nil }
        self.init(reduced: integer)
    }

    /// Any integer: 2²⁵⁶ is less than twice n.
    init(reducing integer: Integer256) {
        let (reduced, borrows) = integer.subtracting(Self.order)
        self.init(reduced: borrows ? integer : reduced)
    }

    var isZero: Bool { self.integer == .zero }

    var negated: Self { self.isZero ? self : Self(reduced: Self.order.subtracting(self.integer).difference) }

    /// - Precondition: not zero.
    var inverse: Self { Self(reduced: self.integer.inverse(modulo: .order)) }

    static func * (left: Self, right: Self) -> Self { left.dividedProduct(with: right).dividedProduct(with: .intoForm) }

    /// The product divided by 2²⁵⁶ (Montgomery 1985).
    private func dividedProduct(with other: Self) -> Self {
        var sum: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
        self.addProduct(with: other.integer.limbs.0, to: &sum)
        self.addProduct(with: other.integer.limbs.1, to: &sum)
        self.addProduct(with: other.integer.limbs.2, to: &sum)
        self.addProduct(with: other.integer.limbs.3, to: &sum)
        let rest = Integer256(sum.0, sum.1, sum.2, sum.3)
        let (reduced, borrows) = rest.subtracting(Self.order)
        return Self(reduced: sum.4 != 0 || !borrows ? reduced : rest)
    }

    @inline(__always)
    private func addProduct(with limb: UInt64, to sum: inout (UInt64, UInt64, UInt64, UInt64, UInt64)) {
        let (own, order) = (self.integer.limbs, Self.order.limbs)
        var carry: UInt64 = 0
        let first = add(sum.0, product: own.0, limb, &carry)
        let second = add(sum.1, product: own.1, limb, &carry)
        let third = add(sum.2, product: own.2, limb, &carry)
        let fourth = add(sum.3, product: own.3, limb, &carry)
        // The sum stays below 2n, and with another n · limb below 2³²⁰.
        let fifth = sum.4 &+ carry

        let factor = first &* Self.negatedInverse
        carry = 0
        _ = add(first, product: factor, order.0, &carry)
        sum.0 = add(second, product: factor, order.1, &carry)
        sum.1 = add(third, product: factor, order.2, &carry)
        sum.2 = add(fourth, product: factor, order.3, &carry)
        var last: UInt64 = 0
        sum.3 = add(fifth, carry, &last)
        sum.4 = last
    }
}

extension OddModulus {
    fileprivate static let order = OddModulus(Scalar.order)
}
