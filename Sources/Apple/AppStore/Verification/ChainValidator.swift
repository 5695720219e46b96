import Crypto
import SwiftASN1
import Synchronization
@_spi(DisableValidityCheck) import X509

/// Decides whether a chain is Apple's: leaf, intermediate, and one of the configured roots. Dates are not looked at
/// here; each payload's is held against the validated chain.
struct ChainValidator: Sendable {
    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]

    let roots: Set<TrustedRoot>

    private let issuers = KnownIssuers()

    init(roots: Set<TrustedRoot>) { self.roots = roots }

    /// One operation on a curve is what a forged chain costs: the root has not signed its intermediate, or an intermediate
    /// that is known has not signed its leaf.
    /// - Throws: VERIFICATION_FAILURE.
    func checkSignatures(of chain: CertificateChain) throws(VerificationFailure) {
        guard self.isIssuer(chain.intermediate), chain.leaf.isSigned(by: chain.intermediate) else {
            throw VerificationFailure(.verificationFailure, "the chain does not lead to a configured root")
        }
    }

    /// Judges the chain as a whole.
    /// - Parameter leafKey: from `checkWithoutCurves`.
    /// - Throws: VERIFICATION_FAILURE.
    func validate(
        _ chain: CertificateChain, leafKey: LeafKey
    ) async throws(VerificationFailure) -> ValidatedChain {
        var verifier = Verifier(rootCertificates: CertificateStore(self.roots.map(\.certificate))) {
            RFC5280Policy.withValidityCheckDisabled()
            ExactPathPolicy(intermediate: chain.intermediate)
        }
        let result = await verifier.validate(leaf: chain.leaf, intermediates: CertificateStore([chain.intermediate]))
        guard case .validCertificate(let path) = result,
            let root = self.roots.first(where: { $0.certificate == path.root })
        else { throw VerificationFailure(.verificationFailure, "the chain does not lead to a configured root") }
        return ValidatedChain(chain, root: root, leafKey: leafKey)
    }

    private func isIssuer(_ intermediate: Certificate) -> Bool {
        if self.issuers.contains(intermediate) { return true }
        guard
            self.roots.contains(where: {
                $0.certificate.subject == intermediate.issuer && intermediate.isSigned(by: $0.certificate)
            })
        else { return false }
        self.issuers.insert(intermediate)
        return true
    }

    /// What a forged chain most likely fails, before it costs anything.
    /// - Returns: the key of the leaf.
    /// - Throws: VERIFICATION_FAILURE.
    func checkWithoutCurves(_ chain: CertificateChain) throws(VerificationFailure) -> LeafKey {
        let (leaf, intermediate) = (chain.leaf, chain.intermediate)
        guard leaf.issuer == intermediate.subject,
            self.roots.contains(where: { $0.certificate.subject == intermediate.issuer })
        else {
            throw VerificationFailure(.verificationFailure, "the names of the chain do not lead to a configured root")
        }
        guard leaf.extensions[oid: Self.leafMarker] != nil,
            intermediate.extensions[oid: Self.intermediateMarker] != nil
        else { throw VerificationFailure(.verificationFailure, "a certificate lacks Apple's marker extension") }
        guard leaf.mayBeUsed(for: \.digitalSignature), intermediate.mayBeUsed(for: \.keyCertSign) else {
            throw VerificationFailure(.verificationFailure, "the key usage of a certificate forbids its use here")
        }
        guard let key = P256.Signing.PublicKey(leaf.publicKey) else {
            throw VerificationFailure(.verificationFailure, "the key of the leaf is not on P-256")
        }
        return LeafKey(key)
    }
}

/// Intermediates that a configured root has signed: Apple has a handful, and nobody else can make one.
private final class KnownIssuers: Sendable {
    private static let capacity = 16

    /// Newest first.
    private let certificates = Mutex<[Certificate]>([])

    func contains(_ certificate: Certificate) -> Bool { self.certificates.withLock { $0 }.contains(certificate) }

    func insert(_ certificate: Certificate) {
        self.certificates.withLock { $0 = [certificate] + $0.prefix(Self.capacity - 1) }
    }
}

/// The path may be leaf, intermediate, and a root that may sign certificates: nothing shorter or longer.
private struct ExactPathPolicy: VerifierPolicy {
    let intermediate: Certificate
    let verifyingCriticalExtensions = [ChainValidator.leafMarker, ChainValidator.intermediateMarker]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        chain.count == CertificateChain.length && chain[1] == self.intermediate
            && chain[2].mayBeUsed(for: \.keyCertSign)
            ? .meetsPolicy : .failsToMeetPolicy(reason: "not a path of leaf, intermediate and root")
    }
}

extension Certificate {
    fileprivate func isSigned(by issuer: Certificate) -> Bool {
        issuer.publicKey.isValidSignature(self.signature, for: self)
    }

    /// RFC 5280 §4.2.1.3: a usage counts unless the extension is absent. swift-certificates leaves it to its caller.
    fileprivate func mayBeUsed(for usage: KeyPath<KeyUsage, Bool>) -> Bool {
        do { return try self.extensions.keyUsage?[keyPath: usage] ?? true } catch { return false }
    }
}
