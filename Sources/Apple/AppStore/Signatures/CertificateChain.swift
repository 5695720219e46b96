import ByteCoding
import Crypto
import Foundation
import Subscriptions
import SwiftASN1
import X509

/// The certificates of an `x5c`, decoded and not trusted yet. Its third is looked at no further: only configured roots
/// count.
struct CertificateChain {
    static let length = 3
    /// Apple's are below 1.1 KB.
    static let maximumCertificateBytes = 4_096

    let leaf: Certificate
    let intermediate: Certificate
    /// SHA-256 of all three: equal only when no certificate differs.
    let fingerprint: PayloadDigest

    /// - Throws: INVALID_JWT_FORMAT, INVALID_CHAIN_LENGTH or INVALID_CERTIFICATE.
    init(_ header: JWSHeader) throws(VerificationFailure) {
        guard !header.x5c.isEmpty else { throw VerificationFailure(.invalidJWTFormat, "the header has no x5c") }
        guard header.algorithm == "ES256" else { throw VerificationFailure(.invalidJWTFormat, "alg is not ES256") }
        guard header.x5c.count == Self.length else {
            throw VerificationFailure(.invalidChainLength, "x5c does not have three certificates")
        }
        var certificates: [Certificate] = []
        var hash = SHA256()
        for entry in header.x5c {
            guard entry.count <= (Self.maximumCertificateBytes + 2) / 3 * 4, let der = Base64.standard.decode(entry)
            else {
                throw VerificationFailure(.invalidCertificate, "an x5c entry is too large, or not base64")
            }
            guard Self.hasWholeSignature(der), let certificate = try? Certificate(derEncoded: der) else {
                throw VerificationFailure(.invalidCertificate, "an x5c entry is no X.509 certificate")
            }
            certificates.append(certificate)
            hash.update(data: der)
        }
        self.leaf = certificates[0]
        self.intermediate = certificates[1]
        self.fingerprint = PayloadDigest(sha256: hash.finalize())
    }

    /// A signature has whole bytes (RFC 3279 §2.2.3). The decoder also takes one that declares zero bits at its end
    /// unused: the same certificate in other bytes.
    private static func hasWholeSignature(_ der: [UInt8]) -> Bool {
        guard let certificate = try? DER.parse(der), case .constructed(let parts) = certificate.content,
            let signature = parts.reduce(nil, { $1 }), let bits = try? ASN1BitString(derEncoded: signature)
        else { return false }
        return bits.paddingBits == 0
    }
}

/// A chain that ends in a configured root, with all that is needed to use it again.
final class ValidatedChain: Sendable {
    let leaf: Certificate
    let intermediate: Certificate
    let root: TrustedRoot
    let fingerprint: PayloadDigest
    private let leafKey: LeafKey
    /// When all three certificates are valid.
    private let notBefore: Moment
    private let notAfter: Moment

    init(_ chain: CertificateChain, root: TrustedRoot, leafKey: LeafKey) {
        self.leaf = chain.leaf
        self.intermediate = chain.intermediate
        self.root = root
        self.fingerprint = chain.fingerprint
        self.leafKey = leafKey
        let certificates = [chain.leaf, chain.intermediate, root.certificate]
        self.notBefore = certificates.map { Moment(seconds: $0.notValidBefore) }.max()!
        // The last second counts in full.
        self.notAfter = certificates.map { Moment(seconds: $0.notValidAfter) + Milliseconds(rawValue: 999) }.min()!
    }

    /// - Throws: VERIFICATION_FAILURE.
    func checkValidity(at moment: Moment) throws(VerificationFailure) {
        guard self.notBefore <= moment, moment <= self.notAfter else {
            throw VerificationFailure(.verificationFailure, "a certificate was not valid at the effective date")
        }
    }

    /// Checks ES256 over header and payload.
    /// - Parameter header: SHA-256 of the header and its dot, so far.
    /// - Throws: VERIFICATION_FAILURE, also for signatures that are not raw r‖s of 64 bytes.
    func checkSignature(of jws: CompactJWS, after header: SHA256) throws(VerificationFailure) {
        try self.leafKey.checkSignature(of: jws, after: header)
    }
}

extension Moment {
    /// Certificates count whole seconds.
    init(seconds date: Date) { self.init(milliseconds: Int64(date.timeIntervalSince1970) * 1_000) }
}
