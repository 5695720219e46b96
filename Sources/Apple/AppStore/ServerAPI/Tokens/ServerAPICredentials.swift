import JWTKit
import Subscriptions

/// Credentials of one app: an In-App Purchase key. Its description hides the key.
package struct ServerAPICredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let keyID: String
    let issuerID: String
    let key: ES256PrivateKey

    /// - Parameters:
    ///   - keyID: the key's id in App Store Connect.
    ///   - issuerID: a UUID, from the same page.
    ///   - privateKeyPEM: the .p8 file that could be downloaded once: PKCS#8 of an EC key on P-256.
    /// - Throws: what is wrong with which of them, without any of the key.
    package init(keyID: String, issuerID: String, privateKeyPEM: String) throws(AppStoreConfigurationError) {
        guard keyID.isIdentifier else {
            throw AppStoreConfigurationError("the id of a Server API key is 1 to 128 visible ASCII characters")
        }
        guard issuerID.isIdentifier else {
            throw AppStoreConfigurationError("the issuer id of a Server API key is 1 to 128 visible ASCII characters")
        }
        // Apple hands out no other form; an EC PRIVATE KEY of another tool is not an App Store key.
        guard privateKeyPEM.contains("-----BEGIN PRIVATE KEY-----") else {
            throw AppStoreConfigurationError(
                "the private key \(keyID) is not PEM of PKCS#8 (BEGIN PRIVATE KEY), as in the .p8 file of App Store Connect"
            )
        }
        do {
            self.key = try ES256PrivateKey(pem: privateKeyPEM)
        } catch {
            throw AppStoreConfigurationError("the private key \(keyID) is not an EC key on the curve P-256")
        }
        self.keyID = keyID
        self.issuerID = issuerID
    }

    package var description: String { "the Server API key \(self.keyID)" }
    package var debugDescription: String { self.description }
}
