/// An odd modulus, with what is needed to divide by powers of two modulo it.
struct OddModulus {
    fileprivate let limbs: Limbs62
    /// −m⁻¹ mod 2⁶².
    fileprivate let negatedInverse: UInt64

    init(_ modulus: Integer256) {
        self.limbs = Limbs62(modulus)
        // Newton's iteration doubles the bits that are right, three at first.
        let last = modulus.limbs.0
        var inverse = last
        for _ in 0..<5 { inverse = inverse &* (2 &- last &* inverse) }
        self.negatedInverse = 0 &- inverse
    }
}

extension Integer256 {
    /// By division steps, 62 of them at a time on the low limbs alone: Bernstein and Yang, "Fast constant-time gcd
    /// computation and modular inversion" (2019), here as fast as the number allows.
    /// - Precondition: below the modulus, and prime to it.
    func inverse(modulo modulus: OddModulus) -> Integer256 {
        var f = modulus.limbs
        var g = Limbs62(self)
        // f ≡ d · self and g ≡ e · self. Each round adds at most the modulus to what they can be, of twelve rounds.
        var d = Limbs62.zero
        var e = Limbs62.one
        var delta = 1
        while !g.isZero {
            let steps = DivisionSteps(&delta, f.low, g.low)
            (f, g) = (f.combined(g, steps.u, steps.v), f.combined(g, steps.q, steps.r))
            (d, e) = (
                d.combined(e, steps.u, steps.v, modulo: modulus), d.combined(e, steps.q, steps.r, modulo: modulus)
            )
        }
        if f.isNegative { d = d.negated }
        while d.isNegative { d = d.adding(modulus.limbs) }
        while true {
            let less = d.subtracting(modulus.limbs)
            guard !less.isNegative else { return d.integer }
            d = less
        }
    }
}

/// What 62 division steps do to f and g: (u·f + v·g) / 2⁶² and (q·f + r·g) / 2⁶².
private struct DivisionSteps {
    var (u, v, q, r): (Int64, Int64, Int64, Int64) = (1, 0, 0, 1)

    @inline(__always)
    init(_ delta: inout Int, _ low: UInt64, _ other: UInt64) {
        var (f, g) = (low, other)
        var left = Limbs62.bits
        while true {
            let zeros = min(g.trailingZeroBitCount, left)
            g &>>= UInt64(zeros)
            self.u &<<= Int64(zeros)
            self.v &<<= Int64(zeros)
            delta += zeros
            left -= zeros
            guard left > 0 else { return }
            if delta > 0 {
                delta = -delta
                (f, g) = (g, 0 &- f)
                (self.u, self.q) = (self.q, 0 &- self.u)
                (self.v, self.r) = (self.r, 0 &- self.v)
            }
            // The steps up to the next exchange only add f to g: as many bits of g as they are vanish at once, six at
            // most, because f · (f² − 2) is −f⁻¹ modulo 2⁶.
            let bits = min(1 - delta, left, 6)
            let factor = (g &* f &* (f &* f &- 2)) & ((1 &<< UInt64(bits)) &- 1)
            g &+= f &* factor
            self.q &+= self.u &* Int64(factor)
            self.r &+= self.v &* Int64(factor)
        }
    }
}

/// A signed integer of 310 bits in limbs of 62, all but the last of them below 2⁶².
private struct Limbs62 {
    static let bits = 62
    private static let mask: Int64 = 1 << 62 - 1

    private var limbs: (Int64, Int64, Int64, Int64, Int64)

    private init(_ first: Int64, _ second: Int64, _ third: Int64, _ fourth: Int64, _ fifth: Int64) {
        self.limbs = (first, second, third, fourth, fifth)
    }

    init(_ integer: Integer256) {
        let (first, second, third, fourth) = integer.limbs
        func limb(_ bits: UInt64) -> Int64 { Int64(truncatingIfNeeded: bits) & Self.mask }
        self.init(
            limb(first), limb(first >> 62 | second << 2), limb(second >> 60 | third << 4),
            limb(third >> 58 | fourth << 6), limb(fourth >> 56))
    }

    static let zero = Limbs62(0, 0, 0, 0, 0)
    static let one = Limbs62(1, 0, 0, 0, 0)

    /// - Precondition: not negative, and below 2²⁵⁶.
    var integer: Integer256 {
        func bits(_ limb: Int64) -> UInt64 { UInt64(bitPattern: limb) }
        let limbs = self.limbs
        return Integer256(
            bits(limbs.0) | bits(limbs.1) << 62, bits(limbs.1) >> 2 | bits(limbs.2) << 60,
            bits(limbs.2) >> 4 | bits(limbs.3) << 58, bits(limbs.3) >> 6 | bits(limbs.4) << 56)
    }

    /// Modulo 2⁶².
    var low: UInt64 { UInt64(bitPattern: self.limbs.0) }

    var isZero: Bool {
        (self.limbs.0 | self.limbs.1 | self.limbs.2 | self.limbs.3 | self.limbs.4) == 0
    }

    var isNegative: Bool { self.limbs.4 < 0 }

    var negated: Self { Self.zero.subtracting(self) }

    func adding(_ other: Self) -> Self {
        let (own, other) = (self.limbs, other.limbs)
        return Self.carrying(own.0 + other.0, own.1 + other.1, own.2 + other.2, own.3 + other.3, own.4 + other.4)
    }

    func subtracting(_ other: Self) -> Self {
        let (own, other) = (self.limbs, other.limbs)
        return Self.carrying(own.0 - other.0, own.1 - other.1, own.2 - other.2, own.3 - other.3, own.4 - other.4)
    }

    private static func carrying(
        _ first: Int64, _ second: Int64, _ third: Int64, _ fourth: Int64, _ fifth: Int64
    ) -> Self {
        let second = second + first >> 62
        let third = third + second >> 62
        let fourth = fourth + third >> 62
        return Self(
            first & Self.mask, second & Self.mask, third & Self.mask, fourth & Self.mask, fifth + fourth >> 62)
    }

    /// `(left * self + right * other) / 2⁶²`, which leaves no remainder.
    @inline(__always)
    func combined(_ other: Self, _ left: Int64, _ right: Int64) -> Self {
        self.combined(other, left, right, adding: 0, times: .zero)
    }

    /// The same modulo a modulus, with a multiple of it that takes the remainder away.
    @inline(__always)
    func combined(_ other: Self, _ left: Int64, _ right: Int64, modulo modulus: OddModulus) -> Self {
        let low = UInt64(bitPattern: left &* self.limbs.0 &+ right &* other.limbs.0)
        let factor = Int64(bitPattern: low &* modulus.negatedInverse) & Self.mask
        return self.combined(other, left, right, adding: factor, times: modulus.limbs)
    }

    @inline(__always)
    private func combined(
        _ other: Self, _ left: Int64, _ right: Int64, adding factor: Int64, times third: Self
    ) -> Self {
        func sum(_ own: Int64, _ other: Int64, _ third: Int64) -> Int128 {
            Int128(truncatingIfNeeded: left) &* Int128(truncatingIfNeeded: own)
                &+ Int128(truncatingIfNeeded: right) &* Int128(truncatingIfNeeded: other)
                &+ Int128(truncatingIfNeeded: factor) &* Int128(truncatingIfNeeded: third)
        }
        func limb(_ sum: Int128) -> Int64 { Int64(truncatingIfNeeded: sum) & Self.mask }
        let (own, other, third) = (self.limbs, other.limbs, third.limbs)
        let first = sum(own.0, other.0, third.0) &>> 62 &+ sum(own.1, other.1, third.1)
        let second = first &>> 62 &+ sum(own.2, other.2, third.2)
        let middle = second &>> 62 &+ sum(own.3, other.3, third.3)
        let last = middle &>> 62 &+ sum(own.4, other.4, third.4)
        return Self(limb(first), limb(second), limb(middle), limb(last), Int64(truncatingIfNeeded: last &>> 62))
    }
}
