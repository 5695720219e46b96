/// A P-256 public key with a precomputed table of its multiples. It may only say yes: `true` means that the signature holds,
/// `false` that the caller asks swift-crypto.
///
/// So a mistake here makes a genuine signature slower. It cannot make a forged one genuine as long as three checks are right:
/// r and s are in their range, the sum is a point of the curve and not the one at infinity, and its x is compared in full.
/// The table takes 256 KiB and some milliseconds. Time depends on the values, all of which are public.
package final class PrecomputedKey: Sendable {
    private static let base = MultiplesTable(of: .base)

    private let multiples: MultiplesTable

    /// - Parameter x963Representation: uncompressed, 65 bytes (SEC 1 §2.3.3).
    /// - Returns: nil unless that is a point of the curve.
    package init?(x963Representation bytes: [UInt8]) {
        guard bytes.count == 65, bytes[0] == 4,
            let point = bytes.withUnsafeBytes({ bytes in
                AffinePoint(
                    x: Integer256(bigEndian: UnsafeRawBufferPointer(rebasing: bytes[1..<33])),
                    y: Integer256(bigEndian: UnsafeRawBufferPointer(rebasing: bytes[33..<65])))
            })
        else { return nil }
        self.multiples = MultiplesTable(of: point)
        // Made here, by whoever prepares a key: those who check signatures would all wait for it.
        _ = Self.base
    }

    /// Whether ECDSA (FIPS 186-5 §6.4.2) holds for a digest.
    /// - Parameters:
    ///   - signature: r and s, 32 bytes each, the most significant first.
    ///   - digest: the 32 bytes of a SHA-256.
    package func hasSigned(_ digest: UnsafeRawBufferPointer, signature: UnsafeRawBufferPointer) -> Bool {
        guard digest.count == 32, signature.count == 64,
            let r = Scalar(Integer256(bigEndian: signature)), !r.isZero,
            let s = Scalar(Integer256(bigEndian: UnsafeRawBufferPointer(rebasing: signature[32...]))), !s.isZero
        else { return false }
        let inverse = s.inverse
        var addends = Addends()
        Self.base.append(Scalar(reducing: Integer256(bigEndian: digest)) * inverse, to: &addends)
        self.multiples.append(r * inverse, to: &addends)
        let sum = addends.sum
        guard sum.isOnCurve else { return false }
        if sum.hasX(r.integer) { return true }
        // x is reduced modulo n, and may have been one n more.
        let (larger, carries) = r.integer.adding(Scalar.order)
        return !carries && larger < FieldElement.prime && sum.hasX(larger)
    }
}
