/// A point of P-256, y² = x³ − 3x + b, other than the one at infinity.
struct AffinePoint {
    let x: FieldElement
    let y: FieldElement

    init(x: FieldElement, y: FieldElement) {
        self.x = x
        self.y = y
    }

    /// - Returns: nil unless it is on the curve.
    init?(x: Integer256, y: Integer256) {
        guard x < FieldElement.prime, y < FieldElement.prime else { return nil }
        self.init(x: FieldElement(x), y: FieldElement(y))
        let cubic = (self.x.squared - Self.three) * self.x + Self.b
        guard self.y.squared == cubic else { return nil }
    }

    var negated: Self { Self(x: self.x, y: .zero - self.y) }

    /// G.
    static let base = AffinePoint(
        x: FieldElement(
            Integer256(
                0xF4A1_3945_D898_C296, 0x7703_7D81_2DEB_33A0, 0xF8BC_E6E5_63A4_40F2, 0x6B17_D1F2_E12C_4247)),
        y: FieldElement(
            Integer256(
                0xCBB6_4068_37BF_51F5, 0x2BCE_3357_6B31_5ECE, 0x8EE7_EB4A_7C0F_9E16, 0x4FE3_42E2_FE1A_7F9B)))
    static let b = FieldElement(
        Integer256(0x3BCE_3C3E_27D2_604B, 0x651D_06B0_CC53_B0F6, 0xB3EB_BD55_7698_86BC, 0x5AC6_35D8_AA3A_93E7))
    private static let three = FieldElement(Integer256(3, 0, 0, 0))
}
