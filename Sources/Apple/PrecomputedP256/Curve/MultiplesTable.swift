/// Multiples of one point, from which every multiple is a sum of at most 32 entries, without a doubling: a scalar is
/// written in base 256 with digits from −127 to 128, and each place has the 128 positive digits of it ready (256 KiB in
/// all). Brickell, Gordon, McCurley and Wilson, "Fast exponentiation with precomputation" (1992).
struct MultiplesTable {
    private static let places = 32
    private static let digits = 128

    /// Place by place, each from its digit 1 on.
    private let points: [AffinePoint]

    /// Some 70,000 multiplications.
    init(of point: AffinePoint) {
        var points: [AffinePoint] = []
        points.reserveCapacity(Self.places * Self.digits)
        var base = point
        for _ in 0..<Self.places {
            var multiples = [PointSum(base), PointSum(doubling: base)]
            while multiples.count < Self.digits {
                var next = multiples[multiples.count - 1]
                next += base
                multiples.append(next)
            }
            let place = PointSum.affine(multiples)
            points += place
            base = PointSum.affine([PointSum(doubling: place[Self.digits - 1])])[0]
        }
        self.points = points
    }

    /// Appends the points whose sum is `scalar` times the point. They are taken together, before anything is added:
    /// each lies somewhere else, and so the memory fetches many of them at a time.
    func append(_ scalar: Scalar, to addends: inout Addends) {
        // Of a scalar and its negation one is below 2²⁵⁵, so that the last digit carries nothing on.
        let isNegated = scalar.integer.limbs.3 >> 63 == 1
        let limbs = (isNegated ? scalar.negated : scalar).integer.limbs
        var first = 0
        var carry = 0
        for limb in [limbs.0, limbs.1, limbs.2, limbs.3] {
            for shift in stride(from: 0, to: 64, by: 8) {
                var digit = Int(truncatingIfNeeded: limb >> shift & 0xFF) + carry
                carry = digit > Self.digits ? 1 : 0
                digit -= carry << 8
                if digit != 0 {
                    let point = self.points[first + abs(digit) - 1]
                    addends.append((digit < 0) != isNegated ? point.negated : point)
                }
                first += Self.digits
            }
        }
    }
}
