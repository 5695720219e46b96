import AppStore
import ByteCoding
import Crypto
import Foundation
import Subscriptions
import Testing

@Suite struct ServerAPITokenTests {
    /// A JWT taken apart.
    private struct Token {
        let header: [String: String]
        let claims: [String: any Sendable]
        let isSigned: Bool

        init(_ text: String, by key: P256.Signing.PublicKey) throws {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            try #require(parts.count == 3)
            func json(_ part: String) throws -> [String: any Sendable] {
                let bytes = try #require(Base64.url.decode(Array(part.utf8)[...]))
                let object = try JSONSerialization.jsonObject(with: Data(bytes))
                return try #require(object as? [String: any Sendable])
            }
            self.header = try json(parts[0]).compactMapValues { $0 as? String }
            self.claims = try json(parts[1])
            let signature = try #require(Base64.url.decode(Array(parts[2].utf8)[...]))
            self.isSigned = key.isValidSignature(
                try P256.Signing.ECDSASignature(rawRepresentation: Data(signature)),
                for: Data("\(parts[0]).\(parts[1])".utf8))
        }
    }

    @Test func saysWhoAsks() async throws {
        let transport = ScriptedTransport(json: #"{"testNotificationToken":"t"}"#)
        let fixture = try ServerAPIFixture(transport)
        _ = try await fixture.client.requestTestNotification()
        let text = try #require(transport.requests.first?.token)
        let token = try Token(text, by: fixture.key.publicKey)
        #expect(token.isSigned)
        #expect(token.header == ["alg": "ES256", "kid": "KEY1234567", "typ": "JWT"])
        #expect(token.claims["iss"] as? String == "57246542-96fe-1a63-e053-0824d011072a")
        #expect(token.claims["aud"] as? String == "appstoreconnect-v1")
        #expect(token.claims["bid"] as? String == "com.example.app")
        #expect(token.claims["iat"] as? Int == 1_700_000_000)
        #expect(token.claims["exp"] as? Int == 1_700_000_300)
        #expect(token.claims.count == 5)
    }

    @Test func isUsedUntilItIsNearlyOver() async throws {
        let transport = ScriptedTransport(json: #"{"testNotificationToken":"t"}"#)
        let fixture = try ServerAPIFixture(transport)
        _ = try await fixture.client.requestTestNotification()
        fixture.quick.advance(by: .seconds(239))
        _ = try await fixture.client.requestTestNotification()
        fixture.quick.advance(by: .seconds(1))
        _ = try await fixture.client.requestTestNotification()
        fixture.quick.setBack(by: .hours(2))
        _ = try await fixture.client.requestTestNotification()
        let tokens = transport.requests.map(\.token)
        #expect(tokens[0] == tokens[1])
        #expect(tokens[1] != tokens[2])
        // A token from the future is not for a clock that went back.
        #expect(tokens[2] != tokens[3])
    }

    @Test func isMadeAnewOnceWhenItIsNotAccepted() async throws {
        let transport = ScriptedTransport([.json("", status: 401), .json(#"{"testNotificationToken":"t"}"#)])
        let fixture = try ServerAPIFixture(transport)
        _ = try await fixture.client.requestTestNotification()
        #expect(Set(transport.requests.map(\.token)).count == 2)
        #expect(fixture.observer.answers == ["requestTest 401", "requestTest 200"])
        // The new one stays.
        _ = try await fixture.client.requestTestNotification()
        #expect(transport.requests[2].token == transport.requests[1].token)
    }

    @Test func givesUpWhenTheNewOneIsNotAcceptedEither() async throws {
        let transport = ScriptedTransport([.json("Unauthenticated", status: 401)])
        let fixture = try ServerAPIFixture(transport)
        let error = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        #expect(error?.code == .unauthorized)
        #expect(error?.status == 401)
        #expect(error?.retryable == false)
        #expect(transport.requests.count == 2)
    }

    @Test func showsNowhere() async throws {
        // Something on the way sends our request back.
        let transport = ScriptedTransport { request, _ in
            .success(.json(#"{"errorCode":4000000,"errorMessage":"no: \#(request.token ?? "")"}"#, status: 400))
        }
        let fixture = try ServerAPIFixture(transport)
        let error = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        let request = try #require(transport.requests.first)
        let token = try #require(request.token)
        #expect(error?.appleCode == 4_000_000)
        #expect(!"\(String(reflecting: error))".contains(token))
        #expect(!"\(request)".contains(token))
    }

    // MARK: Keys

    private static func refusal(keyID: String = "K", issuerID: String = "I", _ pem: String) -> String? {
        do {
            _ = try ServerAPICredentials(keyID: keyID, issuerID: issuerID, privateKeyPEM: pem)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func takesAKeyOfAppStoreConnect() throws {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        #expect(Self.refusal(pem) == nil)
        #expect(Self.refusal(pem + "\n") == nil)
        let credentials = try ServerAPICredentials(keyID: "K", issuerID: "I", privateKeyPEM: pem)
        #expect("\(credentials)" == "the Server API key K")
        #expect(String(reflecting: credentials) == "the Server API key K")
    }

    @Test func refusesOtherKeysAndSaysWhy() {
        let key = P256.Signing.PrivateKey()
        let body = key.pemRepresentation.split(separator: "\n")[1]
        let form = "the private key K is not PEM of PKCS#8 (BEGIN PRIVATE KEY), as in the .p8 file of App Store Connect"
        let curve = "the private key K is not an EC key on the curve P-256"
        #expect(Self.refusal("") == form)
        #expect(Self.refusal("nonsense") == form)
        #expect(Self.refusal(key.publicKey.pemRepresentation) == form)
        #expect(
            Self.refusal(key.pemRepresentation.replacingOccurrences(of: "PRIVATE", with: "EC PRIVATE")) == form)
        #expect(Self.refusal(P384.Signing.PrivateKey().pemRepresentation) == curve)
        #expect(Self.refusal("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----") == curve)
        let cut = key.pemRepresentation.replacingOccurrences(of: body, with: body.dropLast(4))
        #expect(Self.refusal(cut) == curve)
        #expect(Self.refusal(keyID: "", key.pemRepresentation)?.contains("id of a Server API key") == true)
        #expect(Self.refusal(issuerID: "a b", key.pemRepresentation)?.contains("issuer id") == true)
    }
}
