import AppStore
import AppStoreSimulator
import Subscriptions
import Testing

/// What is authentic but not for us: set aside at the endpoint, refused with a class by `verify`.
@Suite struct QuarantineTests {
    let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    private func expect(
        _ jws: [UInt8], _ reason: QuarantineReason, _ expected: VerificationFailure.Class,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        guard case .quarantine(let actual, let detail) = try await self.store.read(jws) else {
            Issue.record("was not set aside", sourceLocation: sourceLocation)
            return
        }
        #expect(actual == reason.rawValue, sourceLocation: sourceLocation)
        #expect(!detail.isEmpty && !detail.contains("2000000000000001"), sourceLocation: sourceLocation)
        #expect(try await self.store.refusal(of: jws, as: .notification) == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        Payload.data.with("bundleId", "\"com.example.other\""), .data.with("bundleId", nil),
        .data.with("appAppleId", "99"),
        .data.with("appAppleId", nil),
        .data.with("bundleId", "\"com.example.other\"").with("environment", "\"Sandbox\""),
        .data.with("appAppleId", "99").with("environment", "\"Sandbox\""),
    ])
    func unknownApps(_ data: Payload) async throws {
        try await self.expect(self.store.sign(.notification("TEST", data)), .unknownApp, .invalidAppIdentifier)
    }

    @Test func noPartAtAll() async throws {
        let payload = Payload.notification("TEST", .data).with("data", nil)
        try await self.expect(self.store.sign(payload), .unknownApp, .invalidAppIdentifier)
    }

    @Test(arguments: ["\"Sandbox\"", "\"Xcode\"", "\"LocalTesting\"", "\"production\"", "null"])
    func wrongEnvironments(_ environment: String) async throws {
        let data = Payload.data.with("environment", environment).with("appAppleId", nil)
        try await self.expect(self.store.sign(.notification("TEST", data)), .wrongEnvironment, .invalidEnvironment)
    }

    @Test(arguments: [
        ("notificationUUID", "\"not-a-uuid\"" as String?, QuarantineReason.undecodable),
        ("notificationUUID", nil, .wrongKind),
        ("notificationUUID", "\"002e14d5-51f5-4503-b5a8-c3a1af68eb2g\"", .undecodable),
        ("notificationType", nil, .wrongKind), ("notificationType", "1", .undecodable), ("subtype", "{}", .undecodable),
        ("signedDate", "\"1700000001000\"", .undecodable), ("signedDate", "1700000001000.5", .undecodable),
        ("data", "[]", .undecodable),
        ("data", #"{"signedTransactionInfo":1}"#, .undecodable), ("data", "\"x\"", .undecodable),
        ("summary", "{}", .undecodable),
        ("appData", #"{"bundleId":"com.example.app"}"#, .undecodable),
        ("notificationType", "\"\(String(repeating: "T", count: 257))\"", .undecodable),
    ])
    func undecodableEnvelopes(_ key: String, _ value: String?, _ reason: QuarantineReason) async throws {
        try await self.expect(self.store.sign(.notification("TEST", .data).with(key, value)), reason, .invalidJWTFormat)
    }

    @Test(arguments: [
        ("status", "\"1\""), ("status", "1.5"), ("appAppleId", "\"1234567890\""), ("bundleId", "true"),
        ("environment", "1"),
    ])
    func undecodableData(_ key: String, _ value: String) async throws {
        try await self.expect(self.store.notification(data: .data.with(key, value)), .undecodable, .invalidJWTFormat)
    }

    @Test func aPurchaseWithoutPurchase() async throws {
        try await self.expect(self.store.sign(.notification("SUBSCRIBED", .data)), .undecodable, .invalidJWTFormat)
        let empty = Payload.data.with("signedTransactionInfo", "\"\"")
        try await self.expect(self.store.sign(.notification("SUBSCRIBED", empty)), .undecodable, .invalidJWTFormat)
    }

    @Test func recordsWithoutTheirIdentifier() async throws {
        for payload in [
            Payload.notification("RENEWAL_EXTENSION", part: "summary", .summary.with("requestIdentifier", nil)),
            .notification(
                "EXTERNAL_PURCHASE_TOKEN", part: "externalPurchaseToken",
                .externalPurchaseToken.with("externalPurchaseId", nil)),
            .notification("RESCIND_CONSENT", part: "appData", .data),
            .notification(
                "RESCIND_CONSENT", part: "appData",
                .data.with(
                    "signedAppTransactionInfo", try self.store.quoted(.appTransaction.with("appTransactionId", nil)))),
        ] {
            try await self.expect(self.store.sign(payload), .undecodable, .invalidJWTFormat)
        }
    }

    /// Strangers have whatever Apple signs for their app, and one share of the quarantine.
    @Test func whatIsOfAnotherAppIsSoWhateverItsForm() async throws {
        let other = Payload.data.with("bundleId", "\"com.example.other\"")
        for payload in [
            Payload.notification("TEST", other).with("notificationUUID", nil),
            .notification("TEST", other).with("subtype", "{}"), .transaction.with("bundleId", "\"com.example.other\""),
        ] {
            try await self.expect(self.store.sign(payload), .unknownApp, .invalidJWTFormat)
        }
    }

    @Test func otherKindsAreNoNotification() async throws {
        try await self.expect(self.store.sign(.transaction), .wrongKind, .invalidJWTFormat)
        try await self.expect(self.store.sign(.renewal), .wrongKind, .invalidJWTFormat)
    }

    @Test func nestedPayloadsOfTheWrongKind() async throws {
        try await self.expect(
            self.store.notification(transaction: .renewal, renewal: nil), .wrongKind, .invalidJWTFormat)
        try await self.expect(
            self.store.notification(transaction: .transaction, renewal: .transaction), .wrongKind, .invalidJWTFormat)
        try await self.expect(self.store.notification(transaction: .appTransaction), .wrongKind, .invalidJWTFormat)
    }

    @Test func nestedPayloadsThatAreRefused() async throws {
        let stranger = try CertificateAuthority.make(seed: 6).signer
        var altered = Segments(try self.store.sign(.transaction))
        altered.payload = Segments.encode(Payload.transaction.with("price", "0").json)
        let forged = String(decoding: try stranger.sign(Payload.transaction.bytes), as: UTF8.self)
        for (jws, expected) in [
            (forged, VerificationFailure.Class.verificationFailure),
            (String(decoding: altered.jws, as: UTF8.self), .verificationFailure),
            ("a.b.c", .invalidJWTFormat), (" ", .invalidJWTFormat), ("a.b", .invalidJWTFormat),
        ] {
            let data = Payload.data.with("signedTransactionInfo", "\"\(jws)\"")
            try await self.expect(self.store.sign(.notification("DID_RENEW", data)), .nestedInvalid, expected)
        }
        let data = Payload.data.with("signedTransactionInfo", try self.store.quoted(.transaction))
            .with(
                "signedRenewalInfo", "\"\(String(decoding: try stranger.sign(Payload.renewal.bytes), as: UTF8.self))\"")
        try await self.expect(self.store.sign(.notification("DID_RENEW", data)), .nestedInvalid, .verificationFailure)
        let appData = Payload.data.with("signedAppTransactionInfo", "\"\(forged)\"")
        try await self.expect(
            self.store.sign(.notification("RESCIND_CONSENT", part: "appData", appData)), .nestedInvalid,
            .verificationFailure)
    }

    @Test func nestedPayloadsThatBelongElsewhere() async throws {
        try await self.expect(
            self.store.notification(renewal: .renewal.with("originalTransactionId", "\"2000000000000009\"")),
            .nestedMismatch,
            .verificationFailure)
        try await self.expect(
            self.store.notification(transaction: .transaction.with("bundleId", "\"com.example.other\"")),
            .nestedMismatch,
            .invalidAppIdentifier)
        try await self.expect(
            self.store.notification(transaction: .transaction.with("environment", "\"Sandbox\"")), .nestedMismatch,
            .invalidEnvironment)
        try await self.expect(
            self.store.notification(renewal: .renewal.with("environment", "\"Sandbox\"")), .nestedMismatch,
            .invalidEnvironment)
        try await self.expect(
            self.store.notification(renewal: .renewal.with("environment", nil)), .nestedMismatch, .invalidEnvironment)
        for appTransaction in [
            Payload.appTransaction.with("bundleId", "\"com.example.other\""),
            .appTransaction.with("receiptType", "\"Sandbox\""),
            .appTransaction.with("appAppleId", "99"), .appTransaction.with("appAppleId", nil),
        ] {
            let appData = Payload.data.with("signedAppTransactionInfo", try self.store.quoted(appTransaction))
            guard
                case .quarantine(let reason, _) = try await self.store.read(
                    self.store.sign(.notification("RESCIND_CONSENT", part: "appData", appData)))
            else {
                Issue.record("was not set aside")
                return
            }
            #expect(reason == "nestedMismatch")
        }
    }

    @Test func undecodableNestedPayloads() async throws {
        try await self.expect(
            self.store.notification(transaction: .transaction.with("purchaseDate", "\"x\"")), .undecodable,
            .invalidJWTFormat)
        try await self.expect(
            self.store.notification(renewal: .renewal.with("eligibleWinBackOfferIds", "\"x\"")), .undecodable,
            .invalidJWTFormat)
    }
}
