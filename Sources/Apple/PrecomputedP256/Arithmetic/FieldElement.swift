/// An integer modulo the prime of P-256 (NIST SP 800-186 §3.2.1.3), p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1, in Montgomery's
/// form: x is held as x · 2²⁵⁶ mod p, always below p.
struct FieldElement: Equatable {
    private var value: Integer256

    private init(montgomery value: Integer256) { self.value = value }

    static let prime = Integer256(0xFFFF_FFFF_FFFF_FFFF, 0x0000_0000_FFFF_FFFF, 0, 0xFFFF_FFFF_0000_0001)
    /// 2⁵¹² mod p: multiplying by it turns an integer into Montgomery's form.
    private static let intoForm = FieldElement(
        montgomery: Integer256(3, 0xFFFF_FFFB_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFE, 0x0000_0004_FFFF_FFFD))
    static let zero = FieldElement(montgomery: .zero)
    static let one = FieldElement(.one)

    /// - Precondition: below p.
    init(_ integer: Integer256) { self = FieldElement(montgomery: integer) * .intoForm }

    var isZero: Bool { self.value == .zero }

    @inline(__always)
    static func + (left: Self, right: Self) -> Self {
        let (sum, carries) = left.value.adding(right.value)
        let (reduced, borrows) = sum.subtracting(Self.prime)
        return Self(montgomery: reduced.replaced(by: sum, if: !carries && borrows))
    }

    @inline(__always)
    static func - (left: Self, right: Self) -> Self {
        let (difference, borrows) = left.value.subtracting(right.value)
        return Self(montgomery: difference.adding(Integer256.zero.replaced(by: Self.prime, if: borrows)).sum)
    }

    /// A limb of one factor at a time, and after each a division by 2⁶⁴ (Montgomery 1985, with p ≡ −1 mod 2⁶⁴).
    static func * (left: Self, right: Self) -> Self {
        var sum: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
        left.addProduct(with: right.value.limbs.0, to: &sum)
        left.addProduct(with: right.value.limbs.1, to: &sum)
        left.addProduct(with: right.value.limbs.2, to: &sum)
        left.addProduct(with: right.value.limbs.3, to: &sum)
        let rest = Integer256(sum.0, sum.1, sum.2, sum.3)
        let (reduced, borrows) = rest.subtracting(Self.prime)
        return Self(montgomery: reduced.replaced(by: rest, if: sum.4 == 0 && borrows))
    }

    /// `sum = (sum + self * limb + m * p) / 2⁶⁴`, with the one m below 2⁶⁴ that leaves no remainder.
    @inline(__always)
    private func addProduct(with limb: UInt64, to sum: inout (UInt64, UInt64, UInt64, UInt64, UInt64)) {
        let own = self.value.limbs
        var carry: UInt64 = 0
        let first = add(sum.0, product: own.0, limb, &carry)
        let second = add(sum.1, product: own.1, limb, &carry)
        let third = add(sum.2, product: own.2, limb, &carry)
        let fourth = add(sum.3, product: own.3, limb, &carry)
        // The sum stays below 2p, and with another p · limb below 2³²⁰.
        let fifth = sum.4 &+ carry

        // m is the first limb. −m takes that limb away; m · 2⁹⁶ and m · (2²⁵⁶ − 2²²⁴ + 2¹⁹²) are left to be added.
        let top = product(first, Self.prime.limbs.3)
        carry = 0
        sum.0 = add(second, first &<< 32, &carry)
        sum.1 = add(third, first &>> 32, &carry)
        sum.2 = add(fourth, low(top), &carry)
        sum.3 = add(fifth, high(top), &carry)
        sum.4 = carry
    }

    @inline(__always)
    var squared: Self { self * self }

    /// - Precondition: not zero.
    var inverse: Self {
        Self(montgomery: self.value.inverse(modulo: .prime)) * .intoForm * .intoForm
    }
}

extension OddModulus {
    fileprivate static let prime = OddModulus(FieldElement.prime)
}
