import Crypto
import Foundation
import Testing
import Webhooks

/// Signatures by the Standard Webhooks specification 1.0.0.
@Suite struct WebhookKeyTests {
    private let content = Array("msg_1.1674087231.{\"a\":1}".utf8)

    private func signature(_ text: String?, _ version: String) throws -> Data {
        let parts = try #require(text).split(separator: ",", maxSplits: 1).map(String.init)
        #expect(parts[0] == version)
        return try #require(Data(base64Encoded: parts[1]))
    }

    /// The example that the reference libraries test themselves with.
    @Test func aKnownMessageHasTheKnownSignature() throws {
        let key = try #require(WebhookKey(text: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let message = WebhookMessage(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: Array(#"{"test": 2432232314}"#.utf8))

        let fields = message.fields(signedWith: [key], at: 1_614_265_330)

        #expect(fields.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(fields[2].value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func aSecretSigns() throws {
        let key = WebhookKey.random(.hmac)
        guard case .symmetric(let secret) = key else { return #expect(Bool(false)) }

        let signature = try self.signature(key.signature(of: self.content), "v1")

        #expect(secret.count == 32)
        #expect(
            HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: self.content, using: .init(data: secret)))
    }

    @Test func aKeyPairSignsAndItsPublicHalfVerifies() throws {
        let key = WebhookKey.random(.ed25519)
        let text = key.verificationText
        #expect(text.hasPrefix("whpk_"))
        let publicKey = try Curve25519.Signing.PublicKey(
            rawRepresentation: try #require(Data(base64Encoded: String(text.dropFirst(5)))))

        let signature = try self.signature(key.signature(of: self.content), "v1a")

        #expect(publicKey.isValidSignature(signature, for: self.content))
        #expect(!publicKey.isValidSignature(signature, for: self.content + [0]))
    }

    @Test(arguments: WebhookKey.Algorithm.allCases)
    func aKeyIsReadAsItIsWritten(_ algorithm: WebhookKey.Algorithm) {
        let key = WebhookKey.random(algorithm)

        #expect(WebhookKey(text: key.text) == key)
        #expect(key.algorithm == algorithm)
        #expect(WebhookKey.random(algorithm) != key)
    }

    @Test(arguments: [
        "", "whsec_", "whsec_AAAA", "whsec_!", "AAAA", "whsk_AAAA", "whpk_" + String(repeating: "A", count: 43) + "=",
        "whsec_" + String(repeating: "A", count: 88),
    ])
    func whatIsNoKeyIsRefused(_ text: String) { #expect(WebhookKey(text: text) == nil) }

    @Test func severalKeysSignBesideEachOther() {
        let keys = [WebhookKey.random(.ed25519), .random(.hmac)]

        let fields = WebhookMessage(id: "msg_1", body: [1]).fields(signedWith: keys, at: 1)

        let versions = fields[2].value.split(separator: " ").map { $0.prefix { $0 != "," } }
        #expect(versions == ["v1a", "v1"])
    }
}
