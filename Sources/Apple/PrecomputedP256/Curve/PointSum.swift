/// A sum of points, as (X, Y, ZZ, ZZZ) with x = X/ZZ, y = Y/ZZZ and ZZ³ = ZZZ²: adding takes no division. The formulas
/// are madd-2008-s and mdbl-2008-s-1 of the Explicit-Formulas Database ("XYZZ coordinates" of short Weierstrass
/// curves).
struct PointSum {
    private var x = FieldElement.zero
    private var y = FieldElement.zero
    private var zz = FieldElement.zero
    private var zzz = FieldElement.zero

    /// Nothing, or points that cancel each other: the point at infinity.
    var isInfinite: Bool { self.zz.isZero }

    init() {}

    init(_ point: AffinePoint) { (self.x, self.y, self.zz, self.zzz) = (point.x, point.y, .one, .one) }

    /// `2 * point`. No point of this curve has order two.
    init(doubling point: AffinePoint) {
        let u = point.y + point.y
        let v = u.squared
        let w = u * v
        let s = point.x * v
        // 3x² + a with a = −3
        let third = (point.x - .one) * (point.x + .one)
        let m = third + third + third
        self.x = m.squared - s - s
        self.y = m * (s - self.x) - w * point.y
        self.zz = v
        self.zzz = w
    }

    static func += (sum: inout Self, point: AffinePoint) { sum.add(point) }

    private mutating func add(_ point: AffinePoint) {
        guard !self.isInfinite else { return self = PointSum(point) }
        let p = point.x * self.zz - self.x
        let r = point.y * self.zzz - self.y
        guard !p.isZero else {
            // The same point, or its opposite.
            self = r.isZero ? PointSum(doubling: point) : PointSum()
            return
        }
        let pp = p.squared
        let ppp = p * pp
        let q = self.x * pp
        let newX = r.squared - ppp - q - q
        self.y = r * (q - newX) - self.y * ppp
        self.x = newX
        self.zz = self.zz * pp
        self.zzz = self.zzz * ppp
    }

    /// Whether this is a point of the curve: what an arithmetic mistake leaves hardly ever is.
    var isOnCurve: Bool {
        guard !self.isInfinite else { return false }
        let zz2 = self.zz.squared
        let zz3 = zz2 * self.zz
        let cubic = (self.x.squared - zz2 - zz2 - zz2) * self.x + AffinePoint.b * zz3
        return self.zzz.squared == zz3 && self.y.squared == cubic
    }

    /// Whether x is this integer modulo p.
    /// - Precondition: not infinite, where every integer would be it; `integer` is below p.
    func hasX(_ integer: Integer256) -> Bool { FieldElement(integer) * self.zz == self.x }

    /// The points, with one inversion for all of them (Montgomery 1987, §10.3.1).
    /// - Precondition: none is infinite.
    static func affine(_ sums: [PointSum]) -> [AffinePoint] {
        // The product of all ZZZ before each.
        var before: [FieldElement] = []
        var product = FieldElement.one
        for sum in sums {
            before.append(product)
            product = product * sum.zzz
        }
        var inverse = product.inverse
        var points: [AffinePoint] = []
        for (sum, product) in zip(sums, before).reversed() {
            let inverseZZZ = inverse * product
            inverse = inverse * sum.zzz
            let inverseZ = inverseZZZ * sum.zz
            points.append(AffinePoint(x: sum.x * inverseZ.squared, y: sum.y * inverseZZZ))
        }
        return points.reversed()
    }
}
