import AppStore
import Subscriptions
import Testing

@Suite struct TransactionDecodingTests {
    let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    private func read(_ transaction: Payload, renewal: Payload? = nil) async throws -> (StreamKey, FactBundle) {
        let apps = try AppDirectory([self.store.app])
        return try await TransactionReader(verifier: PayloadVerifier(apps: apps), apps: apps).read(
            signedTransaction: self.store.sign(transaction), signedRenewalInfo: renewal.map { try self.store.sign($0) },
            link: LinkRequest(CustomerID("c1")!, origin: .post), now: TestStore.now)
    }

    @Test func readsEveryFieldOfATransaction() async throws {
        let commitment = #"""
            {"billingPeriodNumber":3,"totalBillingPeriods":12,"commitmentExpiresDate":1730000000000\#
            ,"commitmentPrice":119880,"more":{}}
            """#
        let payload = Payload.transaction.with("isUpgraded", "true").with("revocationDate", "1700000000500")
            .with("revocationReason", "1").with("revocationType", "\"REFUND_PRORATED\"").with(
                "revocationPercentage", "50000"
            )
            .with("offerType", "9").with("offerIdentifier", "\"WINTER\"").with("offerDiscountType", "\"PAY_AS_YOU_GO\"")
            .with("offerPeriod", "\"P1M\"").with("previousOriginalTransactionId", "1999").with(
                "billingPlanType", "\"MONTHLY\""
            )
            .with("commitmentInfo", commitment).with("advancedCommerceInfo", #"{"items":[{"SKU":"a"}]}"#)
            .with("somethingNew", "[1,{}]")
        let (key, bundle) = try await self.read(payload)
        let info = try #require(bundle.facts.transactions.first)

        #expect(
            key
                == StreamKey(
                    kind: .subscription, id: "2000000000000001", environment: .production,
                    bundleID: BundleID(rawValue: "com.example.app")))
        #expect(info.transactionID.rawValue == "2000000000000002")
        #expect(info.originalTransactionID.rawValue == "2000000000000001")
        #expect(info.webOrderLineItemID == "2000000000000900")
        #expect(info.bundleID.rawValue == "com.example.app")
        #expect(info.environment == .production)
        #expect(info.signedDate.milliseconds == 1_700_000_000_000)
        #expect(info.productID == "pro.monthly")
        #expect(info.subscriptionGroupIdentifier == "21000001")
        #expect(info.productType == "Auto-Renewable Subscription")
        #expect(info.purchaseDate?.milliseconds == 1_699_999_000_000)
        #expect(info.originalPurchaseDate?.milliseconds == 1_690_000_000_000)
        #expect(info.expiresDate?.milliseconds == 1_702_600_000_000)
        #expect(info.quantity == 1)
        #expect(info.appAccountToken == "7e3fb204-2ba0-4e28-9b2f-8b4e0c1f3a11")
        #expect(info.inAppOwnershipType == "PURCHASED")
        #expect(info.isUpgraded == true)
        #expect(info.revocationDate?.milliseconds == 1_700_000_000_500)
        #expect(info.revocationReason == .appIssue)
        #expect(info.revocationType == "REFUND_PRORATED")
        #expect(info.revocationPercentage == 50_000)
        #expect(info.offerType?.description == "unknown:9")
        #expect(info.offerIdentifier == "WINTER")
        #expect(info.offerDiscountType == "PAY_AS_YOU_GO")
        #expect(info.offerPeriod == "P1M")
        #expect(info.storefront == "USA")
        #expect(info.storefrontID == "143441")
        #expect(info.transactionReason == "RENEWAL")
        #expect(info.price == 9_990)
        #expect(info.currency == "USD")
        #expect(info.appTransactionID == "704000000000000001")
        #expect(info.previousOriginalTransactionID?.rawValue == "1999")
        #expect(info.billingPlanType == "MONTHLY")
        #expect(info.commitment?.billingPeriodNumber == 3)
        #expect(info.commitment?.totalBillingPeriods == 12)
        #expect(info.commitment?.commitmentExpiresDate?.milliseconds == 1_730_000_000_000)
        #expect(info.commitment?.commitmentPrice == 119_880)
        #expect(bundle.source == .client)
        #expect(bundle.link?.customer == CustomerID("c1"))
        #expect(bundle.signedDate == info.signedDate)
    }

    @Test func readsEveryFieldOfARenewalInfo() async throws {
        let commitment = #"""
            {"commitmentAutoRenewProductId":"pro.yearly","commitmentAutoRenewStatus":1\#
            ,"commitmentRenewalBillingPlanType":"MONTHLY","commitmentRenewalDate":1730000000000\#
            ,"commitmentRenewalPrice":9990}
            """#
        let payload = Payload.renewal.with("expirationIntent", "7").with("isInBillingRetryPeriod", "true")
            .with("gracePeriodExpiresDate", "1703000000000").with("priceIncreaseStatus", "0").with("offerType", "2")
            .with("offerIdentifier", "\"P\"").with("offerDiscountType", "\"FREE_TRIAL\"").with("offerPeriod", "\"P3D\"")
            .with("eligibleWinBackOfferIds", "[\"a\",\"b\"]").with("appAccountToken", "\"7E3FB204\"")
            .with("appTransactionId", "\"704\"").with("renewalBillingPlanType", "\"MONTHLY\"").with(
                "commitmentInfo", commitment
            )
            .with("signedDate", "1700000000700")
        let (_, bundle) = try await self.read(.transaction, renewal: payload)
        let info = try #require(bundle.facts.renewal)

        #expect(info.originalTransactionID.rawValue == "2000000000000001")
        #expect(info.environment == .production)
        #expect(info.productID == "pro.monthly")
        #expect(info.autoRenewProductID == "pro.monthly")
        #expect(info.autoRenewStatus == 1)
        #expect(info.expirationIntent?.description == "unknown:7")
        #expect(info.isInBillingRetryPeriod == true)
        #expect(info.gracePeriodExpiresDate?.milliseconds == 1_703_000_000_000)
        #expect(info.priceIncreaseStatus == 0)
        #expect(info.offerType == .promotional)
        #expect(info.offerIdentifier == "P")
        #expect(info.offerDiscountType == "FREE_TRIAL")
        #expect(info.offerPeriod == "P3D")
        #expect(info.eligibleWinBackOfferIDs == ["a", "b"])
        #expect(info.renewalDate?.milliseconds == 1_702_600_000_000)
        #expect(info.renewalPrice == 9_990)
        #expect(info.currency == "USD")
        #expect(info.recentSubscriptionStartDate?.milliseconds == 1_690_000_000_000)
        #expect(info.appAccountToken == "7E3FB204")
        #expect(info.appTransactionID == "704")
        #expect(info.renewalBillingPlanType == "MONTHLY")
        #expect(info.commitment?.autoRenewProductID == "pro.yearly")
        #expect(info.commitment?.autoRenewStatus == 1)
        #expect(info.commitment?.renewalBillingPlanType == "MONTHLY")
        #expect(info.commitment?.renewalDate?.milliseconds == 1_730_000_000_000)
        #expect(info.commitment?.renewalPrice == 9_990)
        #expect(bundle.signedDate.milliseconds == 1_700_000_000_700)
    }

    @Test func `empty text says nothing`() async throws {
        let texts = [
            "webOrderLineItemId", "productId", "subscriptionGroupIdentifier", "appAccountToken", "inAppOwnershipType",
            "revocationType", "offerIdentifier", "offerDiscountType", "offerPeriod", "storefront", "storefrontId",
            "transactionReason", "currency", "appTransactionId", "previousOriginalTransactionId", "billingPlanType",
        ]
        let terms = [
            "productId", "autoRenewProductId", "offerIdentifier", "offerDiscountType", "offerPeriod", "currency",
            "appAccountToken", "appTransactionId", "renewalBillingPlanType",
        ]
        func with(_ names: [String], _ value: String?, in payload: Payload) -> Payload {
            names.reduce(payload) { $0.with($1, value) }
        }
        // when
        let (key, empty) = try await self.read(
            with(texts, "\"\"", in: .transaction),
            renewal: with(terms, "\"\"", in: .renewal).with("eligibleWinBackOfferIds", "[\"\"]"))
        let (_, absent) = try await self.read(
            with(texts, nil, in: .transaction),
            renewal: with(terms, nil, in: .renewal).with("eligibleWinBackOfferIds", "[]"))
        // then
        #expect(key.kind == .subscription)
        func facts(_ bundle: FactBundle) throws -> (TransactionInfo, RenewalInfo) {
            var transaction = try #require(bundle.facts.transactions.first)
            var renewal = try #require(bundle.facts.renewal)
            (transaction.digest, renewal.digest) = (.zero, .zero)
            return (transaction, renewal)
        }
        #expect(try facts(empty) == facts(absent))
    }

    @Test func everythingButTheIdentityIsOptional() async throws {
        let bare = Payload([
            "transactionId": "2", "originalTransactionId": "1", "bundleId": "\"com.example.app\"",
            "type": "\"Consumable\"", "environment": "\"Production\"",
        ])
        let (key, bundle) = try await self.read(bare)
        #expect(key.kind == .purchase)
        #expect(bundle.signedDate == TestStore.now)
    }

    @Test(arguments: [
        ("Auto-Renewable Subscription", StreamKind.subscription), ("Non-Consumable", .purchase),
        ("Consumable", .purchase),
        ("Non-Renewing Subscription", .purchase), ("Something New", .purchase),
    ])
    func theTypeDecidesTheStream(_ type: String, _ kind: StreamKind) async throws {
        #expect(try await self.read(.transaction.with("type", "\"\(type)\"")).0.kind == kind)
    }

    /// Values that are odd but not malformed: Apple's word is kept as it came.
    @Test(arguments: [
        ("expiresDate", nil as String?), ("expiresDate", "1699999000000"), ("expiresDate", "1"),
        ("revocationDate", "1800000000000"),
        ("revocationDate", "1"), ("transactionId", "\"0\""), ("originalTransactionId", "\"abc-XYZ\""),
        ("quantity", "-1"),
        ("price", "9223372036854775807"), ("inAppOwnershipType", "\"ASSIGNED\""), ("appAccountToken", "null"),
        ("offerType", "-9"),
    ])
    func oddValuesAreKept(_ key: String, _ value: String?) async throws {
        _ = try await self.read(.transaction.with(key, value))
    }

    @Test(arguments: [
        ("transactionId", "\"\""), ("transactionId", "true"), ("transactionId", "1.5"), ("transactionId", "\"a b\""),
        ("transactionId", "\"\(String(repeating: "1", count: 10_000))\""), ("originalTransactionId", "\"ä\""),
        ("originalTransactionId", nil as String?), ("webOrderLineItemId", "{}"), ("bundleId", "[]"), ("type", nil),
        ("type", "1"),
        ("transactionId", nil), ("bundleId", nil), ("productId", "1"),
        ("productId", "\"\(String(repeating: "p", count: 257))\""),
        ("purchaseDate", "\"1699999000000\""), ("purchaseDate", "1.5"), ("purchaseDate", "1e12"),
        ("expiresDate", "253402300800000"), ("expiresDate", "9223372036854775808"), ("signedDate", "true"),
        ("quantity", "1.0"), ("quantity", "\"1\""), ("price", "9223372036854775808"), ("isUpgraded", "1"),
        ("isUpgraded", "\"true\""), ("revocationReason", "\"1\""), ("offerType", "1e0"), ("commitmentInfo", "[]"),
        ("commitmentInfo", #"{"billingPeriodNumber":"1"}"#), ("environment", "1"),
        ("appTransactionId", "\"\(String(repeating: "1", count: 129))\""),
    ])
    func wrongValuesAreRefused(_ key: String, _ value: String?) async throws {
        let jws = try self.store.sign(.transaction.with(key, value))
        #expect(try await self.store.refusal(of: jws) == .invalidJWTFormat)
    }

    @Test func repeatedSigningIsTheSameDelivery() async throws {
        let (_, first) = try await self.read(.transaction, renewal: .renewal)
        let (_, again) = try await self.read(
            .transaction.with("signedDate", "1700000009000"), renewal: .renewal.with("signedDate", "1700000009000"))
        let (_, other) = try await self.read(.transaction.with("price", "1"), renewal: .renewal)
        let (_, alone) = try await self.read(.transaction)
        #expect(first.dedupKey == again.dedupKey)
        #expect(first.facts.transactions[0].digest != again.facts.transactions[0].digest)
        #expect(Set([first.dedupKey, other.dedupKey, alone.dedupKey]).count == 3)
        #expect(first.dedupKey == first.contentDigest.bytes)
    }

    @Test func theDigestIsThatOfThePayload() async throws {
        let (_, bundle) = try await self.read(.transaction)
        #expect(bundle.facts.transactions[0].digest == PayloadDigest(SHA.sha256(Payload.transaction.bytes)))
    }

    @Test func bothPayloadsMustBelongTogether() async throws {
        for renewal in [
            Payload.renewal.with("originalTransactionId", "\"2000000000000009\""),
            .renewal.with("environment", "\"Sandbox\""),
            .transaction,
        ] {
            await #expect(throws: ReadingFailure.self) { try await self.read(.transaction, renewal: renewal) }
        }
    }

    @Test func signedInTheFutureIsClockSkew() async throws {
        let late = TestStore.now + .minutes(5) + Milliseconds(rawValue: 1)
        let justInTime = try await self.read(
            .transaction.with("signedDate", "\((TestStore.now + .minutes(5)).milliseconds)"))
        #expect(justInTime.1.signedDate == TestStore.now + .minutes(5))
        await #expect(throws: ReadingFailure.clockSkew(signed: late)) {
            try await self.read(.transaction.with("signedDate", "\(late.milliseconds)"))
        }
        await #expect(throws: ReadingFailure.clockSkew(signed: late)) {
            try await self.read(.transaction, renewal: .renewal.with("signedDate", "\(late.milliseconds)"))
        }
    }
}
