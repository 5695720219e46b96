import JWTKit
import Subscriptions
import Synchronization

/// Makes the tokens that a client shows to Apple (Generating JSON Web Tokens for API requests), and keeps each until
/// shortly before it expires.
final class TokenSource: Sendable {
    /// Header and claims beside the key's.
    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud: String
        let bid: String

        /// We sign; Apple verifies.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private struct Token {
        let text: String
        let issued: Moment
    }

    /// Apple takes up to an hour; its libraries use this.
    private static let lifetime = Milliseconds.minutes(5)
    /// A token is not begun to be used with less left than a slow request takes.
    private static let renewal = Milliseconds.minutes(4)

    private let credentials: ServerAPICredentials
    private let bundleID: BundleID
    private let now: @Sendable () -> Moment
    private let current = Mutex<Token?>(nil)

    init(credentials: ServerAPICredentials, bundleID: BundleID, now: @escaping @Sendable () -> Moment) {
        self.credentials = credentials
        self.bundleID = bundleID
        self.now = now
    }

    /// A token that is good for another minute. Those who find none at the same time make one each.
    func token() async throws(ServerAPIError) -> String {
        let now = self.now()
        let known = self.current.withLock { $0 }
        // One from the future was made before our clock went back.
        if let known, known.issued <= now, now < known.issued + Self.renewal { return known.text }
        let token = Token(text: try await self.sign(at: now), issued: now)
        self.current.withLock { $0 = token }
        return token.text
    }

    /// Apple did not accept this one.
    func discard(_ text: String) {
        self.current.withLock { token in
            if token?.text == text { token = nil }
        }
    }

    private func sign(at now: Moment) async throws(ServerAPIError) -> String {
        let claims = Claims(
            iss: self.credentials.issuerID, iat: now.milliseconds / 1_000,
            exp: (now + Self.lifetime).milliseconds / 1_000, aud: "appstoreconnect-v1", bid: self.bundleID.rawValue)
        let kid = JWKIdentifier(string: self.credentials.keyID)
        do {
            let keys = await JWTKeyCollection().add(ecdsa: self.credentials.key, kid: kid)
            return try await keys.sign(claims, kid: kid)
        } catch {
            throw ServerAPIError(.unauthorized, "no token could be signed with the configured key")
        }
    }
}
