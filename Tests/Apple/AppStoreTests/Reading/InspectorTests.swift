import AppStore
import AppStoreSimulator
import ByteCoding
import Crypto
import Subscriptions
import Testing

/// Identity and kind of single payloads.
@Suite struct InspectorTests {
    let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    @Test(arguments: [
        (
            "bundleId", "\"com.example.other\"" as String?,
            VerificationFailure.Class.invalidAppIdentifier as VerificationFailure.Class?
        ),
        ("environment", "\"Sandbox\"", .invalidEnvironment), ("environment", "\"Xcode\"", .invalidEnvironment),
        ("environment", "\"LocalTesting\"", .invalidEnvironment), ("environment", nil, .invalidEnvironment),
        ("appAppleId", "99", nil),
    ])
    func transactions(_ key: String, _ value: String?, _ expected: VerificationFailure.Class?) async throws {
        #expect(try await self.store.refusal(of: self.store.sign(.transaction.with(key, value))) == expected)
    }

    @Test(arguments: [
        (
            "bundleId", "\"com.example.other\"" as String?,
            VerificationFailure.Class.invalidAppIdentifier as VerificationFailure.Class?
        ),
        ("appAppleId", "99", .invalidAppIdentifier), ("appAppleId", nil, .invalidAppIdentifier),
        ("receiptType", "\"Sandbox\"", .invalidEnvironment), ("receiptType", "\"Xcode\"", .invalidEnvironment),
        ("receiptCreationDate", "2280946846000", .verificationFailure), ("receiptCreationDate", nil, nil),
        ("appTransactionId", nil, nil),
    ])
    func appTransactions(_ key: String, _ value: String?, _ expected: VerificationFailure.Class?) async throws {
        let jws = try self.store.sign(.appTransaction.with(key, value))
        #expect(try await self.store.refusal(of: jws, as: .appTransaction) == expected)
    }

    @Test func renewalsOfAnotherEnvironment() async throws {
        let jws = try self.store.sign(.renewal.with("environment", "\"Sandbox\""))
        #expect(try await self.store.refusal(of: jws, as: .renewal) == .invalidEnvironment)
        let sandbox = try self.store.serving([.sandbox])
        #expect(try await sandbox.refusal(of: jws, as: .renewal) == nil)
    }

    @Test func sandboxNeedsNoAppAppleID() async throws {
        let both = try self.store.serving([.production, .sandbox])
        for number in [nil, "0"] {
            let data = Payload.data.with("environment", "\"Sandbox\"").with("appAppleId", number)
            #expect(try await both.refusal(of: both.sign(.notification("TEST", data)), as: .notification) == nil)
        }
    }

    @Test func kindsAreToldApart() async throws {
        let payloads: [(PayloadKind, Payload)] = [
            (.transaction, .transaction), (.renewal, .renewal), (.appTransaction, .appTransaction),
            (.notification, .notification("TEST", .data)),
        ]
        for (actual, payload) in payloads {
            let jws = try self.store.sign(payload)
            for kind in PayloadKind.allCases {
                let refusal = try await self.store.refusal(of: jws, as: kind)
                #expect((refusal == nil) == (kind == actual), "\(actual) as \(kind)")
            }
        }
    }

    // MARK: Xcode and LocalTesting

    /// As Xcode makes them: one self-made certificate, a kid, fractions in dates, id 0, a signature nobody can check.
    private func xcode(_ payload: Payload) throws -> [UInt8] {
        let certificate = String(decoding: Base64.standard.encode(self.store.authority.leaf.der), as: UTF8.self)
        let header = #"{"kid":"Apple_Xcode_Key","typ":"JWT","x5c":["\#(certificate)"],"alg":"ES256"}"#
        return try PayloadSigner(header: Array(header.utf8), key: P256.Signing.PrivateKey()).sign(payload.bytes)
    }

    private let xcodeTransaction = Payload.transaction.with("environment", "\"Xcode\"").with("transactionId", "\"0\"")
        .with("originalTransactionId", "\"0\"").with("purchaseDate", "1697679936049.7297")
        .with("signedDate", "1697679936056.485").with("isUpgraded", "false")
    private let xcodeAppTransaction = Payload.appTransaction.with("receiptType", "\"Xcode\"").with("appAppleId", nil)
        .with("originalPurchaseDate", "-62135769600000").with("receiptCreationDate", "1697679936711.0747")

    @Test func anXcodeVerifierTakesWhatNobodySigned() async throws {
        let xcode = try self.store.serving([.xcode])
        #expect(try await xcode.refusal(of: self.xcode(self.xcodeTransaction)) == nil)
        #expect(try await xcode.refusal(of: self.xcode(self.xcodeAppTransaction), as: .appTransaction) == nil)
        let renewal = Payload.renewal.with("environment", "\"Xcode\"").with("renewalDate", "1700358336049.7297")
        #expect(try await xcode.refusal(of: self.xcode(renewal), as: .renewal) == nil)
        // Identity still counts.
        #expect(
            try await xcode.refusal(of: self.xcode(self.xcodeTransaction.with("bundleId", "\"com.example.other\"")))
                == .invalidAppIdentifier)
        #expect(try await xcode.refusal(of: self.store.sign(.transaction)) == .invalidEnvironment)
        #expect(try await xcode.refusal(of: Array("a.b.c".utf8)) == .invalidJWTFormat)
    }

    @Test func theStoreVerifierTakesNoneOfIt() async throws {
        for (kind, payload) in [
            (PayloadKind.transaction, self.xcodeTransaction), (.appTransaction, self.xcodeAppTransaction),
            (.transaction, .transaction.with("environment", "\"Xcode\"")),
        ] {
            #expect(try await self.store.refusal(of: self.xcode(payload), as: kind) == .invalidChainLength)
        }
        // Signed well, but dates with fractions are Xcode's alone.
        #expect(
            try await self.store.refusal(of: self.store.sign(.transaction.with("purchaseDate", "1697679936049.7")))
                == .invalidJWTFormat)
    }
}
