package import Crypto
import Foundation
import SwiftASN1
package import X509

/// A certificate together with its private key.
package struct IssuedCertificate: Sendable {
    package let certificate: Certificate
    package let der: [UInt8]
    package let privateKey: Certificate.PrivateKey
}

/// The App Store's certificate authority, as the simulator has it: root and intermediate on P-384, and a P-256 leaf
/// that signs payloads. Keys, names, serial numbers and dates follow from the seed; signatures are random.
package struct CertificateAuthority: Sendable {
    package let root: IssuedCertificate
    package let intermediate: IssuedCertificate
    package let leaf: IssuedCertificate
    package let leafKey: P256.Signing.PrivateKey
    private let seed: UInt64

    /// - Throws: when a profile cannot be made into a certificate.
    package static func make(
        seed: UInt64 = 1, root: CertificateProfile = .root, intermediate: CertificateProfile = .intermediate,
        leaf: CertificateProfile = .leaf
    ) throws -> CertificateAuthority {
        let authority = try Self.issue(root, by: nil, seed: seed)
        let issuer = try Self.issue(intermediate, by: authority, seed: seed)
        return CertificateAuthority(
            root: authority, intermediate: issuer, leaf: try Self.issue(leaf, by: issuer, seed: seed),
            leafKey: try SeededKeys(seed: seed, name: leaf.commonName).p256(), seed: seed)
    }

    /// DER of leaf, intermediate and root, in the order of `x5c`.
    package var chain: [[UInt8]] { [self.leaf.der, self.intermediate.der, self.root.der] }

    /// Signs payloads with the leaf.
    package var signer: PayloadSigner { PayloadSigner(chain: self.chain, key: self.leafKey) }

    /// One more certificate, whose key follows from the seed and its name.
    package func issue(_ profile: CertificateProfile, by issuer: IssuedCertificate) throws -> IssuedCertificate {
        try Self.issue(profile, by: issuer, seed: self.seed)
    }

    private static func issue(
        _ profile: CertificateProfile, by issuer: IssuedCertificate?, seed: UInt64
    ) throws -> IssuedCertificate {
        let keys = SeededKeys(seed: seed, name: profile.commonName)
        let privateKey: Certificate.PrivateKey
        var publicKey: Certificate.PublicKey
        switch profile.key {
        case .p256:
            privateKey = .init(try keys.p256())
            publicKey = privateKey.publicKey
        case .p384:
            privateKey = .init(try keys.p384())
            publicKey = privateKey.publicKey
        case .subjectPublicKeyInfo(let der):
            privateKey = .init(try keys.p256())
            publicKey = try .init(derEncoded: der)
        }
        let subject = try DistinguishedName {
            CountryName("US")
            OrganizationName("Perennial Simulator")
            if let unit = profile.organizationalUnit { OrganizationalUnitName(unit) }
            CommonName(profile.commonName)
        }
        let issuerKey = issuer?.certificate.publicKey ?? publicKey
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(bytes: keys.serialNumber()),
            publicKey: publicKey,
            notValidBefore: Date(timeIntervalSince1970: Double(profile.notBefore / 1_000)),
            notValidAfter: Date(timeIntervalSince1970: Double(profile.notAfter / 1_000)),
            issuer: issuer?.certificate.subject ?? subject,
            subject: subject,
            extensions: try profile.extensions(key: publicKey, issuerKey: issuerKey),
            issuerPrivateKey: issuer?.privateKey ?? privateKey)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return IssuedCertificate(
            certificate: certificate, der: serializer.serializedBytes, privateKey: privateKey)
    }
}

extension CertificateProfile {
    fileprivate func extensions(
        key: Certificate.PublicKey, issuerKey: Certificate.PublicKey
    ) throws -> Certificate.Extensions {
        var extensions = try Certificate.Extensions {
            Critical(
                self.isAuthority
                    ? BasicConstraints.isCertificateAuthority(maxPathLength: self.pathLength)
                    : BasicConstraints.notCertificateAuthority)
            SubjectKeyIdentifier(hash: key)
            AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: issuerKey).keyIdentifier)
            Critical(
                self.usage == .keyCertSign
                    ? KeyUsage(keyCertSign: true, cRLSign: true) : KeyUsage(digitalSignature: true))
        }
        if let ocspURL {
            let responder = AuthorityInformationAccess.AccessDescription(
                method: .ocspServer, location: .uniformResourceIdentifier(ocspURL))
            try extensions.append(.init(AuthorityInformationAccess([responder]), critical: false))
        }
        if self.signsOCSP { try extensions.append(.init(ExtendedKeyUsage([.ocspSigning]), critical: false)) }
        let null: ArraySlice<UInt8> = [0x05, 0x00]
        for marker in self.markers {
            try extensions.append(.init(oid: .init(dotRepresentation: marker), critical: false, value: null))
        }
        if self.hasUnknownCriticalExtension {
            try extensions.append(.init(oid: [1, 3, 6, 1, 4, 1, 99_999, 1], critical: true, value: null))
        }
        if self.ballast > 0 {
            var serializer = DER.Serializer()
            try serializer.serialize(ASN1OctetString(contentBytes: [UInt8](repeating: 0, count: self.ballast)[...]))
            try extensions.append(
                .init(oid: [1, 3, 6, 1, 4, 1, 99_999, 2], critical: false, value: serializer.serializedBytes[...]))
        }
        return extensions
    }
}
