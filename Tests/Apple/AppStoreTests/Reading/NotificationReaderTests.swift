import AppStore
import AppStoreSimulator
import Subscriptions
import Testing

@Suite struct NotificationReaderTests {
    let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    private func bundle(_ signedPayload: [UInt8]) async throws -> (StreamKey, FactBundle) {
        switch try await self.store.read(signedPayload) {
        case .bundle(let key, let bundle): return (key, bundle)
        case .quarantine(let reason, let detail): throw Unexpected(reason: reason, detail: detail)
        }
    }

    struct Unexpected: Error {
        let reason: String
        let detail: String
    }

    @Test func readsASubscriptionNotification() async throws {
        let envelope = Payload.notification(
            "DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED",
            Payload.data.with("status", "1").with("signedTransactionInfo", try self.store.quoted(.transaction))
                .with("signedRenewalInfo", try self.store.quoted(.renewal)))
        let (key, bundle) = try await self.bundle(self.store.sign(envelope))

        #expect(
            key
                == StreamKey(
                    kind: .subscription, id: "2000000000000001", environment: .production,
                    bundleID: BundleID(rawValue: "com.example.app")))
        #expect(bundle.source == .notification)
        #expect(
            bundle.notification
                == NotificationIdentity(
                    uuid: "002e14d5-51f5-4503-b5a8-c3a1af68eb20", type: "DID_CHANGE_RENEWAL_STATUS",
                    subtype: "AUTO_RENEW_DISABLED"))
        #expect(
            bundle.dedupKey == [
                0x00, 0x2E, 0x14, 0xD5, 0x51, 0xF5, 0x45, 0x03, 0xB5, 0xA8, 0xC3, 0xA1, 0xAF, 0x68, 0xEB, 0x20,
            ])
        #expect(bundle.signedDate.milliseconds == 1_700_000_001_000)
        #expect(bundle.facts.transactions.map(\.transactionID.rawValue) == ["2000000000000002"])
        #expect(bundle.facts.renewal?.autoRenewStatus == 1)
        #expect(
            bundle.facts.status
                == StatusObservation(
                    status: .active, asOf: Moment(milliseconds: 1_700_000_001_000),
                    digest: PayloadDigest(SHA.sha256(envelope.bytes))))
        #expect(bundle.record == nil)
    }

    @Test(arguments: [
        "SUBSCRIBED", "DID_RENEW", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED", "DID_CHANGE_RENEWAL_STATUS",
        "DID_CHANGE_RENEWAL_PREF", "OFFER_REDEEMED", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
        "REVOKE",
        "CONSUMPTION_REQUEST", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "METADATA_UPDATE", "MIGRATION", "MIGRATE",
        "PRICE_CHANGE", "A_TYPE_OF_TOMORROW",
    ])
    func readsEveryTypeAboutASubscription(_ type: String) async throws {
        let (key, bundle) = try await self.bundle(self.store.notification(type))
        #expect(key.kind == .subscription)
        #expect(bundle.notification?.type == type)
    }

    @Test func readsAOneTimeCharge() async throws {
        let purchase = Payload.transaction.with("type", "\"Consumable\"").with("expiresDate", nil)
        let (key, bundle) = try await self.bundle(
            self.store.notification(
                "ONE_TIME_CHARGE", transaction: purchase, renewal: nil, data: .data.with("status", "1")))
        #expect(key.kind == .purchase)
        #expect(bundle.facts.status == nil)
    }

    @Test func renewalInfoAloneNamesItsSubscription() async throws {
        let (key, bundle) = try await self.bundle(self.store.notification("PRICE_INCREASE", transaction: nil))
        #expect(key.kind == .subscription)
        #expect(key.id == "2000000000000001")
        #expect(bundle.facts.transactions.isEmpty)
    }

    @Test(arguments: [0, 6, -1, 99]) func statusesOfTomorrowAreKept(_ status: Int64) async throws {
        let (_, bundle) = try await self.bundle(self.store.notification(data: .data.with("status", "\(status)")))
        #expect(bundle.facts.status?.status == AppleStatus(rawValue: status))
    }

    @Test func keepsTheReasonOfAConsumptionRequest() async throws {
        let data = Payload.data.with("consumptionRequestReason", "\"UNINTENDED_PURCHASE\"")
        let (_, bundle) = try await self.bundle(self.store.notification("CONSUMPTION_REQUEST", data: data))
        #expect(bundle.notification?.consumptionRequestReason == "UNINTENDED_PURCHASE")
    }

    @Test(arguments: ["webOrderLineItemId", "appTransactionId", "appAccountToken", "storefront"])
    func `an empty text keeps nobody's notification from being read`(_ member: String) async throws {
        let (key, bundle) = try await self.bundle(
            self.store.notification(transaction: Payload.transaction.with(member, "\"\"")))
        #expect(key.kind == .subscription)
        #expect(bundle.facts.transactions.count == 1)
        #expect(bundle.facts.transactions.first?.webOrderLineItemID != "")
        #expect(bundle.facts.transactions.first?.appTransactionID != "")
    }

    @Test func `an empty subtype is none`() async throws {
        let (_, bundle) = try await self.bundle(self.store.sign(.notification("TEST", subtype: "", .data)))
        #expect(bundle.notification?.subtype == nil)
    }

    @Test func recordsATest() async throws {
        let (key, bundle) = try await self.bundle(self.store.sign(.notification("TEST", .data)))
        #expect(key.kind == .test)
        #expect(key.id == "test:com.example.app")
        #expect(bundle.record == .test)
        #expect(bundle.facts.isEmpty)
    }

    @Test func recordsAMassExtension() async throws {
        let (key, bundle) = try await self.bundle(
            self.store.sign(.notification("RENEWAL_EXTENSION", subtype: "SUMMARY", part: "summary", .summary)))
        var summary = NotificationRecord.MassExtensionSummary(requestIdentifier: "efb27071-45a4-4aca-9854-2a1e9146f265")
        summary.productID = "pro.monthly"
        summary.storefrontCountryCodes = ["CAN", "USA"]
        summary.succeededCount = 5
        summary.failedCount = 2
        #expect(key.kind == .massExtension)
        #expect(key.id == "mass:efb27071-45a4-4aca-9854-2a1e9146f265")
        #expect(bundle.record == .massExtension(summary))
    }

    @Test(arguments: [("", AppStoreEnvironment.production), ("SANDBOX_", .sandbox)])
    func recordsAnExternalPurchaseToken(_ prefix: String, _ environment: AppStoreEnvironment) async throws {
        let store = try self.store.serving([.production, .sandbox])
        let token = Payload.externalPurchaseToken.with("externalPurchaseId", "\"\(prefix)b2158121\"")
            .with("tokenType", "\"SERVICES\"").with("tokenExpirationDate", "1700000500000")
        let signed = try store.sign(
            .notification("EXTERNAL_PURCHASE_TOKEN", subtype: "CREATED", part: "externalPurchaseToken", token))
        guard case .bundle(let key, let bundle) = try await store.read(signed) else {
            Issue.record("went to quarantine")
            return
        }
        var expected = NotificationRecord.ExternalPurchaseToken(externalPurchaseID: "\(prefix)b2158121")
        expected.tokenCreationDate = Moment(milliseconds: 1_698_148_950_000)
        expected.tokenType = "SERVICES"
        expected.tokenExpirationDate = Moment(milliseconds: 1_700_000_500_000)
        #expect(key.kind == .externalPurchase)
        #expect(key.id == "ext:\(prefix)b2158121")
        #expect(key.environment == environment)
        #expect(bundle.record == .externalPurchase(expected))
    }

    @Test func recordsRescindedConsent() async throws {
        let appData = Payload.data.with("signedAppTransactionInfo", try self.store.quoted(.appTransaction))
        let (key, bundle) = try await self.bundle(
            self.store.sign(.notification("RESCIND_CONSENT", part: "appData", appData)))
        var consent = NotificationRecord.ConsentRescinded(appTransactionID: "704000000000000001")
        consent.originalPurchaseDate = Moment(milliseconds: 1_690_000_000_000)
        consent.originalApplicationVersion = "1.0"
        consent.originalPlatform = "iOS"
        #expect(key.kind == .appTransaction)
        #expect(key.id == "app:704000000000000001")
        #expect(bundle.record == .consentRescinded(consent))
    }

    @Test func aRetrySignedAgainHasTheSameContent() async throws {
        // ECDSA signatures differ each time, and so may the dates.
        let first = try await self.bundle(self.store.notification()).1
        let again = try await self.bundle(
            self.store.notification(
                transaction: .transaction.with("signedDate", "1700000002000"),
                renewal: .renewal.with("signedDate", "1700000002000"))
        ).1
        let other = try await self.bundle(self.store.notification(transaction: .transaction.with("price", "1"))).1
        #expect(first.contentDigest == again.contentDigest)
        #expect(first.contentDigest != other.contentDigest)
        #expect(first.dedupKey == other.dedupKey)
    }

    @Test func anEnvelopeWithoutDateTakesThatOfItsPayloads() async throws {
        let data = Payload.data.with("signedTransactionInfo", try self.store.quoted(.transaction))
        let envelope = Payload.notification("DID_RENEW", data).with("signedDate", nil)
        #expect(try await self.bundle(self.store.sign(envelope)).1.signedDate.milliseconds == 1_700_000_000_000)
        let test = Payload.notification("TEST", .data).with("signedDate", nil)
        #expect(try await self.bundle(self.store.sign(test)).1.signedDate == TestStore.now)
    }

    @Test func signedInTheFutureIsClockSkewAndNothingElse() async throws {
        let late = Moment(milliseconds: 1_700_000_001_000) - .minutes(5) - Milliseconds(rawValue: 1)
        let jws = try self.store.notification()
        await #expect(throws: ReadingFailure.clockSkew(signed: Moment(milliseconds: 1_700_000_001_000))) {
            try await self.store.read(jws, now: late)
        }
        _ = try await self.store.read(jws, now: late + Milliseconds(rawValue: 1))
    }

    @Test func forgedAndMalformedNotificationsAreRefused() async throws {
        let good = try self.store.notification()
        var altered = Segments(good)
        altered.payload = Segments.encode(Payload.notification("REFUND", .data).json)
        let stranger = try CertificateAuthority.make(seed: 5).signer.sign(Payload.notification("TEST", .data).bytes)
        for (jws, expected) in [
            (altered.jws, VerificationFailure.Class.verificationFailure), (stranger, .verificationFailure),
            (Array("a.b.c".utf8), .invalidJWTFormat),
            (try self.store.authority.signer.sign(Array("[]".utf8)), .invalidJWTFormat),
        ] {
            let failure = await #expect(throws: ReadingFailure.self) { try await self.store.read(jws) }
            #expect(failure?.class == expected)
        }
    }
}
