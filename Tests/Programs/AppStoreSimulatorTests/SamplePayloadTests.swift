import AppStoreSimulator
import Foundation
import StoreSamples
import Subscriptions
import Testing

/// Which members the samples' payloads have, which they have not, and what these say.
@Suite struct SamplePayloadTests {
    /// Made once: certificates cost several curve operations.
    private static let authority = Result { try CertificateAuthority.make(seed: 5) }
    private static let token = StoreSample.profile.appAccountToken

    private let written: [Written]
    private let inSandbox: [Written]

    private struct Written {
        let sample: StoreSample
        let payload: DecodedNotification

        var name: String { "\(self.sample.name) \(self.sample.variant)" }
        var transaction: [String: Any] { self.payload.transaction ?? [:] }
        var renewal: [String: Any] { self.payload.renewal ?? [:] }
    }

    init() throws {
        self.written = try Self.write(.production)
        self.inSandbox = try Self.write(.sandbox)
    }

    private static func write(_ environment: AppStoreEnvironment) throws -> [Written] {
        let signer = NotificationSigner(
            store: StoreIdentity(environment: environment), signer: try self.authority.get().signer)
        return try StoreSample.all.map {
            Written(sample: $0, payload: try DecodedNotification(try signer.sign($0.notification)))
        }
    }

    private func payload(_ name: String, _ variant: String = "", in environment: AppStoreEnvironment = .production)
        throws -> DecodedNotification
    {
        let written = environment == .production ? self.written : self.inSandbox
        return try #require(written.first { $0.sample.name == name && $0.sample.variant == variant }).payload
    }

    /// JSON with its members in the order of their names, whatever their case.
    private func text(_ object: Any?) throws -> String {
        let object = try #require(object)
        let json = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: json, as: UTF8.self)
    }

    private func text(_ members: [String: Any], _ names: Set<String>) throws -> String {
        try self.text(members.filter { names.contains($0.key) })
    }

    // MARK: Envelopes

    @Test func samplesCoverEveryTypeAndSubtype() {
        let names: Set = [
            "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW", "DID_RENEW/BILLING_RECOVERY",
            "DID_FAIL_TO_RENEW/GRACE_PERIOD", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED/VOLUNTARY",
            "EXPIRED/BILLING_RETRY", "EXPIRED/PRICE_INCREASE", "EXPIRED/PRODUCT_NOT_FOR_SALE", "EXPIRED",
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
            "DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
            "OFFER_REDEEMED", "OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE", "PRICE_INCREASE/PENDING",
            "PRICE_INCREASE/ACCEPTED", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE", "CONSUMPTION_REQUEST",
            "RENEWAL_EXTENDED", "RENEWAL_EXTENSION/SUMMARY", "RENEWAL_EXTENSION/FAILURE", "ONE_TIME_CHARGE",
            "EXTERNAL_PURCHASE_TOKEN/CREATED", "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER",
            "EXTERNAL_PURCHASE_TOKEN/UNREPORTED", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE",
            "TEST",
        ]
        #expect(Set(self.written.map(\.payload.name)) == names)
    }

    @Test func anEnvelopeHasOnePartAndNothingElse() {
        for written in self.written + self.inSandbox {
            let part =
                switch written.sample.name {
                case "RENEWAL_EXTENSION/SUMMARY": "summary"
                case "RESCIND_CONSENT": "appData"
                case let name where name.hasPrefix("EXTERNAL_PURCHASE_TOKEN"): "externalPurchaseToken"
                default: "data"
                }
            var expected: Set = ["notificationType", "notificationUUID", "version", "signedDate", part]
            if written.sample.subtype != nil { expected.insert("subtype") }
            #expect(Set(written.payload.envelope.keys) == expected, "\(written.name)")
            #expect(written.payload.envelope["signedDate"] as? Int64 == 1_767_225_600_000)
            #expect(written.payload.envelope["version"] as? String == "2.0")
        }
        let uuids = Set(self.written.map { $0.payload.envelope["notificationUUID"] as? String })
        #expect(uuids.count == self.written.count)
    }

    @Test func dataHasWhatAppliesAndNothingElse() throws {
        for (written, isSandbox) in self.written.map({ ($0, false) }) + self.inSandbox.map({ ($0, true) }) {
            guard written.payload.envelope["data"] != nil else { continue }
            var expected: Set = ["bundleId", "environment"]
            if !isSandbox { expected.insert("appAppleId") }
            if written.sample.type != "TEST" { expected.formUnion(["bundleVersion", "signedTransactionInfo"]) }
            if written.transaction["expiresDate"] != nil { expected.formUnion(["signedRenewalInfo", "status"]) }
            if written.sample.type == "CONSUMPTION_REQUEST" { expected.insert("consumptionRequestReason") }
            #expect(Set(written.payload.data.keys) == expected, "\(written.name)")
            #expect(written.payload.data["environment"] as? String == (isSandbox ? "Sandbox" : "Production"))
        }
        let request = try self.payload("CONSUMPTION_REQUEST")
        #expect(request.data["consumptionRequestReason"] as? String == "UNSATISFIED_WITH_PURCHASE")
    }

    @Test func summaryCountsAnExtension() throws {
        let summary = try self.payload("RENEWAL_EXTENSION/SUMMARY").envelope["summary"]
        #expect(
            try self.text(summary) == """
                {"appAppleId":1234567890,"bundleId":"com.example.app","environment":"Production","failedCount":2,\
                "productId":"pro.monthly","requestIdentifier":"9f6c2a4e-7b1d-4c55-8f0e-3a2b1c0d9e8f",\
                "storefrontCountryCodes":["USA","DEU"],"succeededCount":3000000000}
                """)
        let everywhere = try self.payload("RENEWAL_EXTENSION/SUMMARY", "everywhere", in: .sandbox).envelope["summary"]
        #expect(
            try self.text(everywhere) == """
                {"bundleId":"com.example.app","environment":"Sandbox","failedCount":2,\
                "productId":"pro.monthly","requestIdentifier":"9f6c2a4e-7b1d-4c55-8f0e-3a2b1c0d9e8f",\
                "succeededCount":3000000000}
                """)
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func anExternalPurchaseTokenNamesItsEnvironmentByItsID(environment: AppStoreEnvironment) throws {
        let prefix = environment == .sandbox ? "SANDBOX_" : ""
        let name = "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER"
        #expect(
            try self.text(self.payload(name, in: environment).envelope["externalPurchaseToken"]) == """
                {"appAppleId":1234567890,"bundleId":"com.example.app",\
                "externalPurchaseId":"\(prefix)6e0b8d52-14a3-4c0f-9a77-5d2f3c1b0a99",\
                "tokenCreationDate":1764547200000,"tokenExpirationDate":1796083200000,"tokenType":"ACQUISITION"}
                """)
    }

    @Test func consentIsAboutADownload() throws {
        let notification = try self.payload("RESCIND_CONSENT")
        let appData = try #require(notification.envelope["appData"] as? [String: Any])
        #expect(Set(appData.keys) == ["appAppleId", "bundleId", "environment", "signedAppTransactionInfo"])
        var download = try #require(notification.appTransaction)
        let version = download.removeValue(forKey: "originalApplicationVersion") as? String
        #expect(version.flatMap(Int.init) != nil)
        #expect(
            try self.text(download) == """
                {"appAppleId":1234567890,"appTransactionId":"\(StoreSample.profile.appTransactionID)",\
                "bundleId":"com.example.app","originalPlatform":"iOS","originalPurchaseDate":1741305600000,\
                "receiptCreationDate":1767225600000,"receiptType":"Production"}
                """)
    }

    @Test func aSandboxDownloadHasNoAppIDAndTheFirstVersion() throws {
        let notification = try self.payload("RESCIND_CONSENT", in: .sandbox)
        let appData = try #require(notification.envelope["appData"] as? [String: Any])
        #expect(Set(appData.keys) == ["bundleId", "environment", "signedAppTransactionInfo"])
        let download = try #require(notification.appTransaction)
        #expect(download["appAppleId"] == nil)
        #expect(download["receiptType"] as? String == "Sandbox")
        #expect(download["originalApplicationVersion"] as? String == "1.0")
    }

    // MARK: Transactions

    @Test func onlyPurchasersHaveAnAccountToken() {
        for written in self.written where written.payload.transaction != nil {
            let isShared = written.sample.variant == "family" || written.sample.type == "REVOKE"
            #expect(
                written.transaction["inAppOwnershipType"] as? String == (isShared ? "FAMILY_SHARED" : "PURCHASED"))
            #expect(written.transaction["appAccountToken"] as? String == (isShared ? nil : Self.token))
            guard written.payload.renewal != nil else { continue }
            #expect(written.renewal["appAccountToken"] as? String == (isShared ? nil : Self.token), "\(written.name)")
        }
    }

    @Test func onlyRevokedTransactionsSaySo() throws {
        let names: Set = ["revocationDate", "revocationReason", "revocationType", "revocationPercentage", "isUpgraded"]
        let expected = [
            "REFUND ": (1, "REFUND_FULL", 100_000), "REFUND prorated": (0, "REFUND_PRORATED", 43_250),
            "REFUND upgraded": (0, "REFUND_PRORATED", 43_250), "REFUND one-time": (0, "REFUND_FULL", 100_000),
            "REFUND migrated": (1, "REFUND_PRORATED", 50_000), "REVOKE ": (0, "FAMILY_REVOKE", nil as Int?),
        ]
        for written in self.written {
            var text = "{}"
            if let (reason, type, percentage) = expected[written.name] {
                let upgrade = written.sample.variant == "upgraded" ? #""isUpgraded":true,"# : ""
                let share = percentage.map { #""revocationPercentage":\#($0),"# } ?? ""
                text =
                    #"{\#(upgrade)"revocationDate":1767225540000,\#(share)"revocationReason":\#(reason),"#
                    + #""revocationType":"\#(type)"}"#
            }
            #expect(try self.text(written.transaction, names) == text, "\(written.name)")
        }
    }

    @Test func offersAreNamed() throws {
        let names: Set = ["offerType", "offerIdentifier", "offerDiscountType", "offerPeriod", "price"]
        let expected = [
            "SUBSCRIBED/INITIAL_BUY free trial":
                #"{"offerDiscountType":"FREE_TRIAL","offerPeriod":"P1W","offerType":1,"price":0}"#,
            "OFFER_REDEEMED promotional":
                #"{"offerDiscountType":"FREE_TRIAL","offerIdentifier":"stay.month","offerPeriod":"P1M","offerType":2,"#
                + #""price":0}"#,
            "OFFER_REDEEMED/UPGRADE offer code":
                #"{"offerDiscountType":"PAY_UP_FRONT","offerIdentifier":"code.quarter","offerPeriod":"P3M","#
                + #""offerType":3,"price":9990}"#,
            "SUBSCRIBED/RESUBSCRIBE win-back":
                #"{"offerDiscountType":"PAY_AS_YOU_GO","offerIdentifier":"winback.half","offerPeriod":"P1M","#
                + #""offerType":4,"price":2490}"#,
        ]
        for written in self.written {
            if let text = expected[written.name] {
                #expect(try self.text(written.transaction, names) == text)
            } else if written.sample.variant != "migrated, with an offer" {
                #expect(!written.transaction.keys.contains { $0.hasPrefix("offer") }, "\(written.name)")
            }
        }
    }

    @Test func onlyProductsWithACommitmentHaveABillingPlan() throws {
        let names: Set = ["billingPlanType", "commitmentInfo"]
        for written in self.written {
            let expected =
                switch written.sample.variant {
                case "commitment":
                    #"{"billingPlanType":"MONTHLY","commitmentInfo":{"billingPeriodNumber":7,"#
                        + #""commitmentExpiresDate":1781481600000,"commitmentPrice":95880,"totalBillingPeriods":12}}"#
                case "paid up front": #"{"billingPlanType":"BILLED_UPFRONT"}"#
                default: "{}"
                }
            #expect(try self.text(written.transaction, names) == expected, "\(written.name)")
        }
    }

    @Test func migrationNamesTheChainBefore() {
        for written in self.written {
            let expected = written.sample.name == "MIGRATION" ? "2000000800000001" : nil
            #expect(written.transaction["previousOriginalTransactionId"] as? String == expected)
        }
    }

    // MARK: Renewals

    @Test func aFailureHasItsIntent() {
        let intents = [
            "EXPIRED/VOLUNTARY": 1, "EXPIRED/BILLING_RETRY": 2, "EXPIRED/PRICE_INCREASE": 3,
            "EXPIRED/PRODUCT_NOT_FOR_SALE": 4, "EXPIRED": 5, "DID_FAIL_TO_RENEW": 2,
            "DID_FAIL_TO_RENEW/GRACE_PERIOD": 2, "GRACE_PERIOD_EXPIRED": 2,
        ]
        let inRetry: Set = ["DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED"]
        for written in self.written {
            let name = written.sample.name
            #expect(written.renewal["expirationIntent"] as? Int == intents[name], "\(written.name)")
            let expected = name == "EXPIRED/BILLING_RETRY" ? false : inRetry.contains(name) ? true : nil
            #expect(written.renewal["isInBillingRetryPeriod"] as? Bool == expected, "\(written.name)")
            #expect(
                written.renewal["gracePeriodExpiresDate"] as? Int64
                    == (name == "DID_FAIL_TO_RENEW/GRACE_PERIOD" ? 1_768_521_600_000 : nil))
            #expect(
                written.renewal["eligibleWinBackOfferIds"] as? [String]
                    == (name == "EXPIRED/VOLUNTARY" ? ["winback.half", "winback.month"] : nil))
        }
    }

    @Test func renewalsNameTheirPrice() throws {
        let raised = [
            "PRICE_INCREASE/PENDING": 0, "PRICE_INCREASE/ACCEPTED": 1, "EXPIRED/PRICE_INCREASE": 0, "PRICE_CHANGE": 0,
        ]
        let others = [
            "SUBSCRIBED/RESUBSCRIBE win-back": 2_490, "OFFER_REDEEMED/DOWNGRADE ": 2_490,
            "DID_CHANGE_RENEWAL_PREF/DOWNGRADE ": 4_990, "DID_RENEW commitment": 7_990,
            "DID_RENEW paid up front": 7_990, "DID_CHANGE_RENEWAL_PREF/DOWNGRADE to a commitment": 7_990,
            "DID_RENEW migrated, with an offer": 2_490,
        ]
        for written in self.written where written.payload.renewal != nil {
            let status = raised[written.sample.name]
            #expect(written.renewal["priceIncreaseStatus"] as? Int == status, "\(written.name)")
            let price = status == nil ? others[written.name] ?? 9_990 : 12_990
            #expect(written.renewal["renewalPrice"] as? Int == price, "\(written.name)")
        }
    }

    @Test func aRenewalNamesItsProductAndOffer() throws {
        let names: Set = ["productId", "autoRenewProductId", "autoRenewStatus", "offerType", "offerIdentifier"]
        #expect(
            try self.text(self.payload("OFFER_REDEEMED/DOWNGRADE").renewal ?? [:], names)
                == #"{"autoRenewProductId":"basic.monthly","autoRenewStatus":1,"offerIdentifier":"winback.half","#
                + #""offerType":4,"productId":"pro.monthly"}"#)
        #expect(
            try self.text(self.payload("DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED").renewal ?? [:], names)
                == #"{"autoRenewProductId":"pro.monthly","autoRenewStatus":0,"productId":"pro.monthly"}"#)
    }

    @Test func aCommitmentSaysWhatFollowsIt() throws {
        let names: Set = ["renewalBillingPlanType", "commitmentInfo", "autoRenewStatus"]
        for written in self.written where written.payload.renewal != nil {
            let expected =
                switch written.sample.variant {
                case "commitment":
                    #"{"autoRenewStatus":1,"commitmentInfo":{"commitmentAutoRenewProductId":"pro.committed","#
                        + #""commitmentAutoRenewStatus":0,"commitmentRenewalBillingPlanType":"MONTHLY","#
                        + #""commitmentRenewalDate":1781481600000,"commitmentRenewalPrice":95880},"#
                        + #""renewalBillingPlanType":"MONTHLY"}"#
                case "paid up front": #"{"autoRenewStatus":1,"renewalBillingPlanType":"BILLED_UPFRONT"}"#
                case "to a commitment": #"{"autoRenewStatus":1,"renewalBillingPlanType":"MONTHLY"}"#
                default: #"{"autoRenewStatus":\#(written.renewal["autoRenewStatus"] as? Int ?? -1)}"#
                }
            #expect(try self.text(written.renewal, names) == expected, "\(written.name)")
        }
    }

    // MARK: Advanced Commerce

    @Test func onlyMigratedSubscriptionsAreOfAdvancedCommerce() {
        let types: Set = ["MIGRATION", "METADATA_UPDATE", "PRICE_CHANGE"]
        for written in self.written {
            let isMigrated = types.contains(written.sample.type) || written.sample.variant.hasPrefix("migrated")
            #expect((written.transaction["advancedCommerceInfo"] != nil) == isMigrated, "\(written.name)")
            #expect((written.renewal["advancedCommerceInfo"] != nil) == isMigrated, "\(written.name)")
        }
    }

    @Test func aMigratedTransactionHasItsItem() throws {
        let info = try self.payload("DID_RENEW", "migrated, with an offer").transaction?["advancedCommerceInfo"]
        #expect(
            try self.text(info) == """
                {"descriptors":{"description":"All of it","displayName":"Pro"},"estimatedTax":398,\
                "items":[{"description":"All of it","displayName":"Pro",\
                "offer":{"period":"P1M","periodCount":2,"price":2490,"reason":"WIN_BACK"},"price":9990,\
                "SKU":"pro.monthly"}],\
                "period":"P1M","requestReferenceId":"0d9a4f6e-5b70-4a7e-8b0a-9f1f4d3c2b1a","taxCode":"C003-00-2",\
                "taxExclusivePrice":2092,"taxRate":"0.19"}
                """)
    }

    @Test func aRefundedItemSaysHowMuch() throws {
        let notification = try self.payload("REFUND", "migrated")
        let info = try #require(notification.transaction?["advancedCommerceInfo"] as? [String: Any])
        #expect(
            try self.text(info["items"]) == """
                [{"description":"All of it","displayName":"Pro","price":9990,\
                "refunds":[{"refundAmount":4995,"refundDate":1767225540000,"refundReason":"FULFILLMENT_ISSUE",\
                "refundType":"PRORATED"}],"revocationDate":1767225540000,"SKU":"pro.monthly"}]
                """)
    }

    @Test func aMigratedRenewalHasItsItemAndToken() throws {
        #expect(
            try self.text(self.payload("PRICE_CHANGE").renewal?["advancedCommerceInfo"]) == """
                {"consistencyToken":"2000000900000007-0d9a4f6e-5b70-4a7e-8b0a-9f1f4d3c2b1a",\
                "descriptors":{"description":"All of it","displayName":"Pro"},\
                "items":[{"description":"All of it","displayName":"Pro","price":9990,\
                "priceIncreaseInfo":{"dependentSKUs":[],"price":12990,"status":"PENDING"},\
                "SKU":"pro.monthly"}],\
                "period":"P1M","requestReferenceId":"0d9a4f6e-5b70-4a7e-8b0a-9f1f4d3c2b1a","taxCode":"C003-00-2"}
                """)
    }
}
