import ByteCoding
import Crypto
import PrecomputedP256
import Synchronization

/// The key of a leaf. Apple signs millions of payloads with one leaf, so a key that goes on signing is prepared for it.
final class LeafKey: Sendable {
    /// Preparing takes as long as some fifty checks.
    private static let checksBeforePreparing = 64

    private let key: P256.Signing.PublicKey
    private let checks = Atomic<Int>(0)
    private let prepared = AtomicLazyReference<PrecomputedKey>()

    init(_ key: P256.Signing.PublicKey) { self.key = key }

    /// Whether ES256 holds. What the prepared key does not say yes to is for swift-crypto to judge.
    /// - Parameter signature: raw r‖s; anything but 64 bytes is none.
    func hasSigned(_ digest: SHA256Digest, signature: [UInt8]) -> Bool {
        if let prepared = self.prepared.load(), prepared.hasSigned(digest, signature: signature) { return true }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            self.key.isValidSignature(signature, for: digest)
        else { return false }
        if self.checks.wrappingAdd(1, ordering: .relaxed).newValue == Self.checksBeforePreparing,
            let known = PrecomputedKey(x963Representation: Array(self.key.x963Representation))
        {
            _ = self.prepared.storeIfNil(known)
        }
        return true
    }
}

extension LeafKey {
    /// Checks ES256 over header and payload.
    /// - Parameter header: SHA-256 of the header and its dot, so far.
    /// - Throws: VERIFICATION_FAILURE, also for signatures that are not raw r‖s of 64 bytes.
    func checkSignature(of jws: CompactJWS, after header: SHA256) throws(VerificationFailure) {
        var hash = header
        jws.payload.withUnsafeBytes { hash.update(bufferPointer: $0) }
        guard let signature = Base64.url.decode(jws.signature), signature.count == 64,
            self.hasSigned(hash.finalize(), signature: signature)
        else {
            throw VerificationFailure(.verificationFailure, "the signature is not one of the leaf over this payload")
        }
    }
}

extension PrecomputedKey {
    fileprivate func hasSigned(_ digest: SHA256Digest, signature: [UInt8]) -> Bool {
        digest.withUnsafeBytes { digest in
            signature.withUnsafeBytes { self.hasSigned(digest, signature: $0) }
        }
    }
}
