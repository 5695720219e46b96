import Crypto
import Foundation
package import Subscriptions
import SwiftASN1
import X509

/// A root certificate that chains may end in. Apple's is "Apple Root CA - G3".
package final class TrustedRoot: Hashable, Sendable {
    let certificate: Certificate
    /// Stands for the certificate where roots are compared, which is for every payload.
    private let fingerprint: PayloadDigest

    /// - Parameter bytes: one certificate, DER or PEM.
    /// - Throws: when it is no certificate, or none that may issue others; and when others vouch for it, since a chain ends in a
    ///   certificate that vouches for itself.
    package init(_ bytes: [UInt8]) throws(AppStoreConfigurationError) {
        do {
            if bytes.starts(with: "-----BEGIN".utf8) {
                self.certificate = try Certificate(pemEncoded: String(decoding: bytes, as: UTF8.self))
            } else {
                self.certificate = try Certificate(derEncoded: bytes)
            }
        } catch {
            throw AppStoreConfigurationError("a root certificate is neither DER nor PEM of an X.509 certificate")
        }
        guard case .isCertificateAuthority = try? self.certificate.extensions.basicConstraints else {
            throw AppStoreConfigurationError("a root certificate is not one of a certificate authority")
        }
        guard self.certificate.issuer == self.certificate.subject,
            self.certificate.publicKey.isValidSignature(self.certificate.signature, for: self.certificate)
        else {
            throw AppStoreConfigurationError(
                "an intermediate certificate is no root, and nothing can be verified under it: name the one that its chain "
                    + "ends in, AppleRootCA-G3.cer for Apple's payloads")
        }
        self.fingerprint = PayloadDigest(sha256: SHA256.hash(data: self.certificate.tbsCertificateBytes))
    }

    /// Whom it names, for people.
    package var name: String { self.certificate.subject.description }

    /// What is signed at other times is not verified under it.
    package var period: ClosedRange<Moment> {
        let end = Moment(seconds: self.certificate.notValidAfter) + Milliseconds(rawValue: 999)
        let start = Moment(seconds: self.certificate.notValidBefore)
        return start...max(start, end)
    }

    package static func == (left: TrustedRoot, right: TrustedRoot) -> Bool { left.fingerprint == right.fingerprint }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.fingerprint) }
}
