/// What a certificate of the simulator's own authority says. The defaults are shaped like Apple's chain (same curves,
/// marker extensions, constraints and usages); each field can be made wrong on its own.
package struct CertificateProfile: Sendable {
    package enum Key: Sendable {
        case p256, p384
        /// A public key of any kind, as DER; the certificate is fit for nothing but being refused.
        case subjectPublicKeyInfo([UInt8])
    }

    package enum Usage: Sendable {
        case keyCertSign, digitalSignature
    }

    package var commonName: String
    package var organizationalUnit: String?
    package var key: Key
    /// Milliseconds since 1970, whole seconds.
    package var notBefore: Int64
    package var notAfter: Int64
    /// The CA flag of basicConstraints.
    package var isAuthority: Bool
    package var pathLength: Int?
    package var usage: Usage
    /// Object identifiers of marker extensions, in dotted form.
    package var markers: [String] = []
    /// The OCSP responder that authorityInformationAccess names.
    package var ocspURL: String?
    /// The extended key usage OCSPSigning: a responder to which the issuer has delegated its answers.
    package var signsOCSP = false
    /// Adds a critical extension that nobody knows.
    package var hasUnknownCriticalExtension = false
    /// Bytes of ballast in an extension that is not critical.
    package var ballast = 0

    package static let root = CertificateProfile(
        commonName: "Perennial Simulator Root CA", organizationalUnit: "Perennial Certification Authority", key: .p384,
        notBefore: 1_398_816_000_000, notAfter: 2_187_820_800_000,  // 2014-04-30 … 2039-05-01
        isAuthority: true, pathLength: nil, usage: .keyCertSign)

    package static let intermediate = CertificateProfile(
        commonName: "Perennial Simulator Developer Relations Certification Authority", organizationalUnit: "G1",
        key: .p384, notBefore: 1_615_939_200_000, notAfter: 2_177_452_800_000,  // 2021-03-17 … 2039-01-01
        isAuthority: true, pathLength: 0, usage: .keyCertSign, markers: ["1.2.840.113635.100.6.2.1"])

    package static let leaf = CertificateProfile(
        commonName: "Perennial Simulator App Store Receipt Signing",
        organizationalUnit: "Perennial Worldwide Developer Relations", key: .p256,
        notBefore: 1_632_009_600_000, notAfter: 2_145_916_800_000,  // 2021-09-19 … 2038-01-01
        isAuthority: false, pathLength: nil, usage: .digitalSignature, markers: ["1.2.840.113635.100.6.11.1"])

    /// This profile with changes, for a certificate that is wrong in one thing.
    package func with(_ change: (inout CertificateProfile) -> Void) -> CertificateProfile {
        var profile = self
        change(&profile)
        return profile
    }
}
