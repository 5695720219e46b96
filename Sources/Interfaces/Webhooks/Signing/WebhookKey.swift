import ByteCoding
import Crypto

/// A key that deliveries are signed with, by the Standard Webhooks specification 1.0.0. Its text is a secret.
package enum WebhookKey: Hashable, Sendable {
    /// HMAC-SHA256 with a secret that the receiver has too: `whsec_…`, 24 to 64 bytes.
    case symmetric([UInt8])
    /// Ed25519; the receiver has the public key alone. The 32 bytes that RFC 8032 calls the private key.
    case asymmetric([UInt8])

    package enum Algorithm: String, CaseIterable, Sendable {
        case hmac, ed25519
    }

    private static let symmetricPrefix = "whsec_"
    private static let asymmetricPrefix = "whsk_"
    private static let publicPrefix = "whpk_"

    package static func random(_ algorithm: Algorithm) -> WebhookKey {
        switch algorithm {
        case .hmac: .symmetric(SymmetricKey(size: .bits256).withUnsafeBytes(Array.init))
        case .ed25519: .asymmetric(Array(Curve25519.Signing.PrivateKey().rawRepresentation))
        }
    }

    /// nil for text that is no key.
    package init?(text: String) {
        func bytes(behind prefix: String) -> [UInt8]? {
            guard text.hasPrefix(prefix) else { return nil }
            return Base64.standard.decode(ArraySlice(text.utf8.dropFirst(prefix.utf8.count)))
        }
        if let secret = bytes(behind: Self.symmetricPrefix), (24...64).contains(secret.count) {
            self = .symmetric(secret)
        } else if let seed = bytes(behind: Self.asymmetricPrefix), seed.count == 32 {
            self = .asymmetric(seed)
        } else {
            return nil
        }
    }

    package var text: String {
        switch self {
        case .symmetric(let secret): Self.symmetricPrefix + Self.base64(secret)
        case .asymmetric(let seed): Self.asymmetricPrefix + Self.base64(seed)
        }
    }

    package var algorithm: Algorithm {
        switch self {
        case .symmetric: .hmac
        case .asymmetric: .ed25519
        }
    }

    /// What the receiver verifies with: the secret itself, or the public key as `whpk_…`.
    package var verificationText: String {
        guard case .asymmetric(let seed) = self, let key = Self.privateKey(seed) else { return self.text }
        return Self.publicPrefix + Self.base64(Array(key.publicKey.rawRepresentation))
    }

    /// One entry of `webhook-signature`.
    package func signature(of content: [UInt8]) -> String? {
        switch self {
        case .symmetric(let secret):
            let code = HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: secret))
            return "v1,\(Self.base64(Array(code)))"
        case .asymmetric(let seed):
            guard let signature = try? Self.privateKey(seed)?.signature(for: content) else { return nil }
            return "v1a,\(Self.base64(Array(signature)))"
        }
    }

    private static func privateKey(_ seed: [UInt8]) -> Curve25519.Signing.PrivateKey? {
        try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.standard.encode(bytes), as: UTF8.self)
    }
}
