import AppStore
import AppStoreSimulator
import ByteCoding
import Crypto
import Foundation
import Subscriptions
import Testing

/// Cases of the token and its payload, from Apple's library suites and beyond.
@Suite struct TokenTests {
    let store: TestStore
    let good: Segments

    init() throws {
        self.store = try TestStore.shared.get()
        self.good = Segments(try self.store.sign(.transaction))
    }

    @Test func acceptsEachKindAndReturnsItsBytes() async throws {
        #expect(try await self.store.inspect(self.good.jws) == Payload.transaction.bytes)
        #expect(try await self.store.inspect(self.store.sign(.renewal), as: .renewal) == Payload.renewal.bytes)
        #expect(
            try await self.store.inspect(self.store.sign(.appTransaction), as: .appTransaction)
                == Payload.appTransaction.bytes)
        #expect(try await self.store.refusal(of: self.store.notification(), as: .notification) == nil)
        let test = Payload.notification("TEST", .data)
        #expect(try await self.store.inspect(self.store.sign(test), as: .notification) == test.bytes)
    }

    @Test(arguments: [
        "", ".", "..", "...", "a.b.c", "a.b.c.d", "a.b", "abc", "{}.{}.{}", "e30.e30", "e30..e30", ".e30.e30",
        "e30.e30.",
        "\u{FEFF}e30.e30.e30", "e30.e30.e30",
    ])
    func refusesWhatIsNoJWS(_ text: String) async throws {
        #expect(try await self.store.refusal(of: Array(text.utf8)) == .invalidJWTFormat)
    }

    @Test func refusesFourSegments() async throws {
        #expect(try await self.store.refusal(of: self.good.jws + Array(".AAAA".utf8)) == .invalidJWTFormat)
    }

    @Test func refusesOversizedTokens() async throws {
        let jws = try self.store.sign(.transaction.with("junk", "\"\(String(repeating: "x", count: 1 << 20))\""))
        #expect(try await self.store.refusal(of: jws) == .invalidJWTFormat)
    }

    /// Headers of one's own making; the signature is good for each.
    @Test(arguments: [
        (
            #"{"alg":"ES256","x5cwrong":CHAIN}"#,
            VerificationFailure.Class.invalidJWTFormat as VerificationFailure.Class?
        ),
        (#"{"alg":"ES256"}"#, .invalidJWTFormat), (#"{"alg":"ES256","x5c":[]}"#, .invalidJWTFormat),
        (#"{"alg":"ES256","x5c":null}"#, .invalidJWTFormat), (#"{"alg":"ES256","x5c":"a"}"#, .invalidJWTFormat),
        (#"{"alg":"ES256","x5c":[1,2,3]}"#, .invalidJWTFormat),
        (#"{"x5c":CHAIN}"#, .invalidJWTFormat), (#"{"alg":"none","x5c":CHAIN}"#, .invalidJWTFormat),
        (#"{"alg":"HS256","x5c":CHAIN}"#, .invalidJWTFormat), (#"{"alg":"ES384","x5c":CHAIN}"#, .invalidJWTFormat),
        (#"{"alg":"es256","x5c":CHAIN}"#, .invalidJWTFormat), (#"{"alg":256,"x5c":CHAIN}"#, .invalidJWTFormat),
        (#"{"alg":"ES256","alg":"ES256","x5c":CHAIN}"#, .invalidJWTFormat),
        (#"{"alg":"ES256","x5c":CHAIN,"x5c":CHAIN}"#, .invalidJWTFormat),
        (#"{"alg":"ES256","\u0061lg":"none","x5c":CHAIN}"#, .invalidJWTFormat),
        (#"{"alg":"ES256","x5c":CHAIN,"crit":["exp"],"exp":1}"#, .invalidJWTFormat),
        (#"{"alg":"ES256","x5c":CHAIN,"crit":[]}"#, .invalidJWTFormat),
        (#"[{"alg":"ES256","x5c":CHAIN}]"#, .invalidJWTFormat), (#"{"alg":"ES256","x5c":CHAIN} x"#, .invalidJWTFormat),
        (
            #"{"alg":"ES256","x5c":CHAIN,"jku":"http://127.0.0.1:1/","x5u":"http://127.0.0.1:1/","jwk":{}}"#,
            nil
        ),
        (#"{"kid":"a","typ":"JWT","x5c":CHAIN,"alg":"ES256"}"#, nil),
    ])
    func judgesHeaders(_ header: String, _ expected: VerificationFailure.Class?) async throws {
        let chain = self.store.authority.chain.map {
            "\"\(String(decoding: Base64.standard.encode($0), as: UTF8.self))\""
        }
        let text = header.replacingOccurrences(of: "CHAIN", with: "[\(chain.joined(separator: ","))]")
        let jws = try PayloadSigner(header: Array(text.utf8), key: self.store.authority.leafKey).sign(
            Payload.transaction.bytes)
        #expect(try await self.store.refusal(of: jws) == expected)
    }

    @Test func aSymmetricKeyMadeOfThePublicOneIsRefused() async throws {
        var forged = self.good
        let chain = self.store.authority.chain.map {
            "\"\(String(decoding: Base64.standard.encode($0), as: UTF8.self))\""
        }
        forged.header = Segments.encode(#"{"alg":"HS256","x5c":[\#(chain.joined(separator: ","))]}"#)
        let key = SymmetricKey(data: self.store.authority.leafKey.publicKey.x963Representation)
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(forged.header).\(forged.payload)".utf8), using: key)
        forged.signature = Segments.encode(Array(code))
        #expect(try await self.store.refusal(of: forged.jws) == .invalidJWTFormat)
    }

    /// Payloads that are signed well and are no JSON object.
    @Test(arguments: [
        "", "[]", "\"text\"", "1", "null", "{", "{} {}", "\u{FEFF}{}", #"{"transactionId":"1","transactionId":"2"}"#,
        #"{"x":{"a":1,"a":1}}"#, #"{"x":"\ud800"}"#, #"{"x":"\u0000"}"#, "{'a':1}", #"{"a":01}"#, #"{"a":NaN}"#,
        #"{"a":\#(String(repeating: "[", count: 40))\#(String(repeating: "]", count: 40))}"#,
        String(repeating: #"{"a":"#, count: 50_000),
    ])
    func refusesPayloadsThatAreNoObjects(_ payload: String) async throws {
        let jws = try self.store.authority.signer.sign(Array(payload.utf8))
        #expect(try await self.store.refusal(of: jws) == .invalidJWTFormat)
        #expect(try await self.store.refusal(of: jws, as: .notification) == .invalidJWTFormat)
    }

    @Test func refusesInvalidUTF8() async throws {
        let jws = try self.store.authority.signer.sign(Array(#"{"a":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8))
        #expect(try await self.store.refusal(of: jws) == .invalidJWTFormat)
    }

    @Test(arguments: ["=", "==", "\n", " ", "%3D"])
    func refusesSegmentsThatAreNotCanonical(_ suffix: String) async throws {
        var (header, payload, signature) = (self.good, self.good, self.good)
        header.header += suffix
        payload.payload += suffix
        signature.signature += suffix
        #expect(try await self.store.refusal(of: header.jws) == .invalidJWTFormat)
        #expect(try await self.store.refusal(of: payload.jws) == .invalidJWTFormat)
        #expect(try await self.store.refusal(of: signature.jws) == .verificationFailure)
    }

    @Test func refusesTrailingBits() async throws {
        // 64 bytes end in a digit with four spare bits: sixteen texts would mean the same signature.
        var other = self.good
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(other.signature.last)
        let value = try #require(digits.firstIndex(of: last))
        other.signature = other.signature.dropLast() + String(digits[value | 1])
        #expect(try await self.store.refusal(of: other.jws) == .verificationFailure)
    }

    @Test func refusesWhatWasAltered() async throws {
        var payload = self.good
        payload.payload = Segments.encode(Payload.transaction.with("expiresDate", "1902600000000").json)
        var header = self.good
        let renamed = String(decoding: Base64.url.decode(Array(header.header.utf8)[...]) ?? [], as: UTF8.self)
            .replacingOccurrences(of: "{\"alg\"", with: "{\"kid\":\"x\",\"alg\"")
        header.header = Segments.encode(renamed)
        let other = Segments(try CertificateAuthority.make(seed: 9).signer.sign(Payload.transaction.bytes))
        var foreign = self.good
        foreign.signature = other.signature
        for jws in [payload.jws, header.jws, foreign.jws] {
            #expect(try await self.store.refusal(of: jws) == .verificationFailure)
        }
    }

    @Test func whatIsForgedUnderAKnownHeaderIsNotRead() async throws {
        let inspector = try PayloadInspector(app: self.store.app)
        var forged = self.good
        forged.payload = Segments.encode("no JSON")
        func refusal() async throws -> VerificationFailure.Class? {
            await #expect(throws: VerificationFailure.self) {
                try await inspector.inspect(forged.jws, as: .transaction, now: TestStore.now)
            }?.class
        }
        #expect(try await refusal() == .invalidJWTFormat)
        _ = try await inspector.inspect(self.good.jws, as: .transaction, now: TestStore.now)
        #expect(try await refusal() == .verificationFailure)
    }

    @Test func refusesSignaturesOfTheWrongShape() async throws {
        let raw = self.good.signatureBytes
        let zeros = [UInt8](repeating: 0, count: 32)
        let ones = [UInt8](repeating: 0xFF, count: 32)
        let der = [UInt8](try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation)
        let shapes: [[UInt8]] = [
            zeros + raw[32...], raw[..<32] + zeros, zeros + zeros, ones + raw[32...], raw[..<32] + ones,
            Array(raw.dropLast()),
            Array(raw.dropFirst()), raw + [0], [0] + raw, der, Array(raw[32...] + raw[..<32]), [0], Array(raw[..<32]),
        ]
        for shape in shapes {
            var jws = self.good
            jws.signature = Segments.encode(shape)
            #expect(try await self.store.refusal(of: jws.jws) == .verificationFailure)
        }
        for count in [1, 2, 3, 40, 85] {
            var jws = self.good
            jws.signature = String(jws.signature.prefix(count))
            #expect(try await self.store.refusal(of: jws.jws) == .verificationFailure)
        }
    }

    @Test func stepsFailInTheirOrder() async throws {
        // Wrong in everything: the first step names the class.
        let chain = [[UInt8](repeating: 1, count: 10)]
        let noAlgorithm = PayloadSigner(header: Array(#"{"x5c":["a"]}"#.utf8), key: P256.Signing.PrivateKey())
        #expect(try await self.store.refusal(of: noAlgorithm.sign(Array("[]".utf8))) == .invalidJWTFormat)
        let short = PayloadSigner(chain: chain, key: P256.Signing.PrivateKey())
        #expect(try await self.store.refusal(of: short.sign(Payload.transaction.bytes)) == .invalidChainLength)
        let junk = PayloadSigner(chain: chain + chain + chain, key: P256.Signing.PrivateKey())
        #expect(try await self.store.refusal(of: junk.sign(Payload.transaction.bytes)) == .invalidCertificate)
        let foreign = try self.store.sign(
            .transaction.with("bundleId", "\"com.example.other\"").with("environment", "\"Sandbox\""))
        #expect(try await self.store.refusal(of: foreign) == .invalidAppIdentifier)
    }
}
