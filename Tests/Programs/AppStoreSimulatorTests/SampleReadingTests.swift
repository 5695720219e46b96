import AppStore
import AppStoreSimulator
import StoreSamples
import Subscriptions
import Testing

/// Each sample as a publisher sees it: read by the same code that reads Apple's.
@Suite struct SampleReadingTests {
    private static let authority = Result { try CertificateAuthority.make(seed: 6) }

    private func read(
        _ sample: StoreSample, in environment: AppStoreEnvironment = .production
    ) async throws -> (StreamKey, FactBundle) {
        let authority = try Self.authority.get()
        let store = StoreIdentity(environment: environment)
        let app = try AppIdentity(
            bundleID: BundleID(rawValue: store.bundleID), appAppleID: store.appAppleID,
            environments: [.production, .sandbox], roots: [TrustedRoot(authority.root.der)])
        let apps = try AppDirectory([app])
        let signed = try NotificationSigner(store: store, signer: authority.signer).sign(sample.notification)
        let reading = try await NotificationReader(verifier: PayloadVerifier(apps: apps), apps: apps)
            .read(signed.signedPayload, now: StoreSample.signedDate)
        guard case .bundle(let key, let bundle) = reading else {
            throw Unreadable(sample: "\(sample.name): \(reading)")
        }
        return (key, bundle)
    }

    private struct Unreadable: Error {
        let sample: String
    }

    private func sample(_ name: String, _ variant: String = "") throws -> StoreSample {
        try #require(StoreSample.all.first { $0.name == name && $0.variant == variant })
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func everySampleFindsItsStream(environment: AppStoreEnvironment) async throws {
        for sample in StoreSample.all {
            let (key, bundle) = try await self.read(sample, in: environment)
            let expected: (kind: StreamKind, id: String) =
                switch sample.type {
                case "RENEWAL_EXTENSION" where sample.subtype == "SUMMARY":
                    (.massExtension, "mass:9f6c2a4e-7b1d-4c55-8f0e-3a2b1c0d9e8f")
                case "EXTERNAL_PURCHASE_TOKEN":
                    (
                        .externalPurchase,
                        "ext:\(environment == .sandbox ? "SANDBOX_" : "")6e0b8d52-14a3-4c0f-9a77-5d2f3c1b0a99"
                    )
                case "RESCIND_CONSENT": (.appTransaction, "app:\(StoreSample.profile.appTransactionID)")
                case "TEST": (.test, "test:com.example.app")
                case "ONE_TIME_CHARGE": (.purchase, StoreSample.originalTransactionID)
                case "REFUND" where sample.variant == "one-time": (.purchase, StoreSample.originalTransactionID)
                default: (.subscription, StoreSample.originalTransactionID)
                }
            #expect(key.kind == expected.kind, "\(sample.name) \(sample.variant)")
            #expect(key.id == expected.id, "\(sample.name) \(sample.variant)")
            #expect(key.environment == environment)
            #expect(bundle.notification?.type == sample.type)
            #expect(bundle.notification?.subtype == sample.subtype)
            #expect(bundle.facts.transactions.isEmpty == ![.subscription, .purchase].contains(key.kind))
            #expect((bundle.facts.renewal != nil) == (key.kind == .subscription))
            #expect((bundle.facts.status != nil) == (key.kind == .subscription))
        }
    }

    @Test func aRequestForConsumptionHasItsReason() async throws {
        let (_, bundle) = try await self.read(try self.sample("CONSUMPTION_REQUEST"))
        #expect(bundle.notification?.consumptionRequestReason == "UNSATISFIED_WITH_PURCHASE")
    }

    @Test func aMassExtensionIsRecorded() async throws {
        let (_, bundle) = try await self.read(try self.sample("RENEWAL_EXTENSION/SUMMARY"))
        var summary = NotificationRecord.MassExtensionSummary(
            requestIdentifier: "9f6c2a4e-7b1d-4c55-8f0e-3a2b1c0d9e8f")
        summary.productID = "pro.monthly"
        summary.storefrontCountryCodes = ["USA", "DEU"]
        summary.succeededCount = 3_000_000_000
        summary.failedCount = 2
        #expect(bundle.record == .massExtension(summary))
    }

    @Test func anExternalPurchaseTokenIsRecorded() async throws {
        let (_, bundle) = try await self.read(try self.sample("EXTERNAL_PURCHASE_TOKEN/UNREPORTED"))
        var token = NotificationRecord.ExternalPurchaseToken(
            externalPurchaseID: "6e0b8d52-14a3-4c0f-9a77-5d2f3c1b0a99")
        token.tokenCreationDate = StoreSample.signedDate - .days(31)
        token.tokenExpirationDate = StoreSample.signedDate + .days(334)
        token.tokenType = "SERVICES"
        #expect(bundle.record == .externalPurchase(token))
    }

    @Test func withdrawnConsentIsRecorded() async throws {
        let (_, bundle) = try await self.read(try self.sample("RESCIND_CONSENT"), in: .sandbox)
        var consent = NotificationRecord.ConsentRescinded(appTransactionID: StoreSample.profile.appTransactionID)
        consent.originalPurchaseDate = StoreSample.signedDate - .days(300)
        consent.originalApplicationVersion = "1.0"
        consent.originalPlatform = "iOS"
        #expect(bundle.record == .consentRescinded(consent))
    }

    @Test func aCommitmentIsRead() async throws {
        let (_, bundle) = try await self.read(try self.sample("DID_RENEW", "commitment"))
        let transaction = try #require(bundle.facts.transactions.first)
        #expect(transaction.billingPlanType == "MONTHLY")
        #expect(transaction.commitment?.billingPeriodNumber == 7)
        #expect(transaction.commitment?.totalBillingPeriods == 12)
        #expect(transaction.commitment?.commitmentExpiresDate == StoreSample.signedDate + .days(165))
        #expect(transaction.commitment?.commitmentPrice == 95_880)
        let renewal = try #require(bundle.facts.renewal)
        #expect(renewal.renewalBillingPlanType == "MONTHLY")
        #expect(renewal.commitment?.autoRenewProductID == "pro.committed")
        #expect(renewal.commitment?.autoRenewStatus == 0)
        #expect(renewal.commitment?.renewalBillingPlanType == "MONTHLY")
        #expect(renewal.commitment?.renewalDate == StoreSample.signedDate + .days(165))
        #expect(renewal.commitment?.renewalPrice == 95_880)
    }

    @Test func revocationsAreRead() async throws {
        let (_, refund) = try await self.read(try self.sample("REFUND", "prorated"))
        let refunded = try #require(refund.facts.transactions.first)
        #expect(refunded.revocationDate == StoreSample.signedDate - .minutes(1))
        #expect(refunded.revocationType == "REFUND_PRORATED")
        #expect(refunded.revocationPercentage == 43_250)
        let (_, revoke) = try await self.read(try self.sample("REVOKE"))
        let revoked = try #require(revoke.facts.transactions.first)
        #expect(revoked.inAppOwnershipType == "FAMILY_SHARED")
        #expect(revoked.revocationType == "FAMILY_REVOKE")
        #expect(revoked.revocationPercentage == nil)
        #expect(revoked.appAccountToken == nil)
    }

    @Test func whatMigratedIsRead() async throws {
        let (_, bundle) = try await self.read(try self.sample("MIGRATION"))
        let transaction = try #require(bundle.facts.transactions.first)
        #expect(transaction.previousOriginalTransactionID == OriginalTransactionID(rawValue: "2000000800000001"))
    }
}
