import Subscriptions

enum StoredSamples {
    static let events = [
        StoredSample(
            "a notification with transaction, renewal info and status",
            Samples.renewed(),
            """
            0a97020a25636f6d2e6578616d706c652e6e65777370617065722e7072656d69756d2e6d6f6e74686c79127a0a0910ec
            8af687d5dfc60310d0bf86f580331a201112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f30
            2001280230f88886f5803338f8f88aa1f73240f89881c98a334a0910b2ff99f6d4dfc6035205108eeb960a5802600368
            864e72034555527a0344455582010410d3e0088801011a4508d0bf86f5803312204142434445464748494a4b4c4d4e4f
            505152535455565758595a5b5c5d5e5f6018012001280130f89881c98a3338864e420345555248f8f88aa1f732222b08
            0110efbf86f580331a20707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f10011a010720
            efbf86f580332a20909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeaf32160a121a103f0a
            6c1e9b774a558a5e6d3c2b1a0f9910033a220a200a121a108d1c2c5e0a4f4f3b9c612f7f6d1b5a90120a10f9be96dab1
            a682e409
            """),
        StoredSample(
            "every field of the facts",
            Self.everyField,
            """
            0af6030a25636f6d2e6578616d706c652e6e65777370617065722e7072656d69756d2e6d6f6e74686c790a1b636f6d2e
            6578616d706c652e6e65777370617065722e62617369630a24636f6d2e6578616d706c652e6e65777370617065722e70
            72656d69756d2e796561726c7912c6010a0910959aa387d5dfc60310d0af8ba1f7321a20101112131415161718191a1b
            1c1d1e1f202122232425262728292a2b2c2d2e2f2001280230f8f88aa1f73238f8f88aa1f73240f88886f580334a0910
            b1ff99f6d4dfc6035205108eeb960a5802600268864e72034555527a0344455582010410d3e008880101a80101b001fb
            80b3c19c33b80101c00103c801d08603d00102da010673756d6d6572e00103ea010350314df2010910ffc18bfcd4dfc6
            03f8010382020f0803100c18fb9087b5f33320c8a8071a930108d0af8ba1f7321220404142434445464748494a4b4c4d
            4e4f505152535455565758595a5b5c5d5e5f18012002280130f88886f5803338864e420345555248f8f88aa1f7325002
            580160fb80cad4a133680070047a09636f6d652d6261636b8001028a01035032579201120a09636f6d652d6261636b0a
            05616761696ea80102b2011008031000180320fb9087b5f33328864e222b080410fb80b3c19c331a20e0e1e2e3e4e5e6
            e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff10011a02090f20fb80b3c19c332a20e1e2e3e4e5e6e7e8
            e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff00321d0a1222103f0a6c1e9b774a558a5e6d3c2b1a0f99100f
            22054c4547414c3a270a200a121a108d1c2c5e0a4f4f3b9c612f7f6d1b5a90120a10f9be96dab1a682e409120310e724
            """),
        StoredSample(
            "words that have no number",
            SubscriptionEvent(
                facts: Facts(transactions: [Self.unknownWords]), source: .history,
                changes: [Change(rawValue: "teleported"), Change(rawValue: "renewed")]),
            """
            0aeb010a25636f6d2e6578616d706c652e6e65777370617065722e7072656d69756d2e6d6f6e74686c7912c1010a0e0a
            0c6e6f742d612d6e756d62657210d0af8ba1f7321a20101112131415161718191a1b1c1d1e1f20212223242526272829
            2a2b2c2d2e2f2001280130f8f88aa1f73238f8f88aa1f73240f88886f580334a0910b1ff99f6d4dfc6035205108eeb96
            0a5801600168864e72034555527a0344455582010410d3e0088801ffffffffffffffffff01c00101e00101f80101ca06
            0642756e646c65fa06044c454e5482070447494654e20706524543414c4c82080448414c469a08065745454b4c591003
            1a0201073a0e0a0c120a10f9be96dab1a682e409ba060a74656c65706f72746564
            """),
        StoredSample(
            "facts of another key",
            Self.foreign,
            """
            0aa4020a25636f6d2e6578616d706c652e6e65777370617065722e7072656d69756d2e6d6f6e74686c79129d010a0910
            959aa387d5dfc60310d0af8ba1f7321a20101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e
            2f2001280230f8f88aa1f73238f8f88aa1f73240f88886f580334a0910b1ff99f6d4dfc6035205108eeb960a58026002
            68864e72034555527a0344455582010410d3e00888010192010910aa80b4ccd4dfc6039a0111636f6d2e6578616d706c
            652e6f74686572a001031a5b08d0af8ba1f7321220404142434445464748494a4b4c4d4e4f505152535455565758595a
            5b5c5d5e5f18012001280130f88886f5803338864e420345555248f8f88aa1f7329a010910aa80b4ccd4dfc603a00101
            c207044d6f6f6e10041a01263a220a200a121a108d1c2c5e0a4f4f3b9c612f7f6d1b5a90120a10f9be96dab1a682e409
            """),
        StoredSample(
            "an answer of the statuses endpoint",
            SubscriptionEvent(
                facts: Facts(
                    status: StatusObservation(
                        status: .billingGracePeriod, asOf: Self.date, digest: Samples.digest(0xD0),
                        unsigned: StatusObservation.Unsigned(purchaseDate: Self.date - .days(3)))),
                source: .statuses, changes: [Change(rawValue: "enteredGrace")], signedDate: Self.date,
                contentDigest: Samples.digest(0xD1)),
            """
            0a362234080410fb80b3c19c331a20d0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeef22
            0708fbd8e6c59b3310021a010f20fb80b3c19c332a20d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9ea
            ebecedeeeff0
            """),
        StoredSample(
            "a timer",
            SubscriptionEvent(source: .timer, changes: [Change(rawValue: "expired")], effectiveAt: Self.date),
            """
            10051a010d40fb80b3c19c33
            """),
        StoredSample(
            "an anomaly",
            SubscriptionEvent(
                source: .notification, changes: [Change(rawValue: "anomaly")], signedDate: Self.date,
                detail: "The status says 2, the facts say subscribed.", contentDigest: Samples.digest(0xD2)),
            """
            10011a012920fb80b3c19c332a20d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f14a2c
            54686520737461747573207361797320322c207468652066616374732073617920737562736372696265642e
            """),
        StoredSample(
            "a link to a customer",
            SubscriptionEvent(
                source: .client, changes: [Change(rawValue: "linked")], signedDate: Self.date,
                customerID: "customer 4711",
                contentDigest: Samples.digest(0xD3)),
            """
            10041a012820fb80b3c19c332a20d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f23a11
            120f0a0d637573746f6d65722034373131
            """),
        StoredSample(
            "the summary of a mass extension",
            Self.recorded(
                .massExtension(Self.massExtension), type: "RENEWAL_EXTENSION", subtype: "SUMMARY"),
            """
            10011a012620fb80b3c19c332a20d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f33218
            0a121a103f0a6c1e9b774a558a5e6d3c2b1a0f9910111810524c0a121a103f0a6c1e9b774a558a5e6d3c2b1a0f111225
            636f6d2e6578616d706c652e6e65777370617065722e7072656d69756d2e6d6f6e74686c791a0a0a034445550a035553
            4120b9602806
            """),
        StoredSample(
            "an external purchase token",
            Self.recorded(
                .externalPurchase(Self.externalPurchase), type: "EXTERNAL_PURCHASE_TOKEN", subtype: "CREATED"),
            """
            10011a012620fb80b3c19c332a20d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f33218
            0a121a103f0a6c1e9b774a558a5e6d3c2b1a0f99101318125a280a0e0a0c53414e44424f585f3466316310fbc899989c
            331a08534552564943455320fb90ae95a633
            """),
        StoredSample(
            "a withdrawn consent",
            Self.recorded(.consentRescinded(Self.consentRescinded), type: "RESCIND_CONSENT"),
            """
            10011a012620fb80b3c19c332a20d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f33216
            0a121a103f0a6c1e9b774a558a5e6d3c2b1a0f9910143a0c1a0a10f9be96dab1a682e409621108fba0c3a9fc32120331
            2e341a03694f53
            """),
        StoredSample(
            "a test notification",
            Self.recorded(.test, type: "TEST"),
            """
            10011a012620fb80b3c19c332a20d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f33216
            0a121a103f0a6c1e9b774a558a5e6d3c2b1a0f9910186a00
            """),
    ]

    /// As it was written before a status named its period.
    static let state = StoredSample(
        "a state",
        {
            var state = Samples.state()
            state.facts.status?.period = nil
            return state.withoutPrices
        }(),
        """
        080112bb040a25636f6d2e6578616d706c652e6e65777370617065722e7072656d69756d2e6d6f6e74686c7912660a09
        10c3fbc888d5dfc60310d0cf81c98a331a2012131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f
        30312001280230f89881c98a3338f8f88aa1f73240f8a8fc9c94334a0910b3ff99f6d4dfc6035205108eeb960a58027a
        0344455512660a09109aec9b89d5dfc60310d0dffc9c94331a20131415161718191a1b1c1d1e1f202122232425262728
        292a2b2c2d2e2f3031322001280230f8a8fc9c943338f8f88aa1f73240f8b8f7f09d334a0910b4ff99f6d4dfc6035205
        108eeb960a58027a0344455512660a0910f1dcee89d5dfc60310d0eff7f09d331a201415161718191a1b1c1d1e1f2021
        22232425262728292a2b2c2d2e2f303132332001280230f8b8f7f09d3338f8f88aa1f73240f8c8f2c4a7334a0910b5ff
        99f6d4dfc6035205108eeb960a58027a0344455512660a0910c8cdc18ad5dfc60310d0fff2c4a7331a2015161718191a
        1b1c1d1e1f202122232425262728292a2b2c2d2e2f30313233342001280230f8c8f2c4a73338f8f88aa1f73240f8d8ed
        98b1334a0910b6ff99f6d4dfc6035205108eeb960a58027a034445551a4508d0fff2c4a733122045464748494a4b4c4d
        4e4f505152535455565758595a5b5c5d5e5f606162636418012001280130f8d8ed98b13338864e420345555248f8f88a
        a1f732222b080110effff2c4a7331a20707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f
        1a170a0e08d0cf81c98a3310f8a8fc9c943310f8a8fc9c94331a170a0e08d0dffc9c943310f8b8f7f09d3310f8b8f7f0
        9d331a170a0e08d0eff7f09d3310f8c8f2c4a73310f8c8f2c4a7331a170a0e08d0fff2c4a73310f8d8ed98b13310f8d8
        ed98b133220708d0fff2c4a7332a120a0910c8cdc18ad5dfc60310f8d8ed98b13332220a200a121a108d1c2c5e0a4f4f
        3b9c612f7f6d1b5a90120a10f9be96dab1a682e409
        """)

    /// Of two periods: one that was restored and refunded, one whose refund was taken back.
    static let revocations = [
        StoredSample(
            "a state with copies and revocations, before prices were kept", Self.priced.withoutPrices,
            """
            080412f6020a25636f6d2e6578616d706c652e6e65777370617065722e7072656d69756d2e6d6f6e74686c7912710a09
            10959aa387d5dfc60310fbb8f7e3df331a20d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedee
            eff02001280230f8f88aa1f73238f8f88aa1f73240f88886f580334a0910b1ff99f6d4dfc6035205108eeb960a58027a
            03444555b001fb80b3c19c33b8010112660a0910ec8af687d5dfc60310fba8aab6e0331a20d3d4d5d6d7d8d9dadbdcdd
            dedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f22001280230f88886f5803338f8f88aa1f73240f89881c98a334a09
            10b2ff99f6d4dfc6035205108eeb960a58027a034445551a4508d0bf86f5803312204142434445464748494a4b4c4d4e
            4f505152535455565758595a5b5c5d5e5f6018012001280130f89881c98a3338864e420345555248f8f88aa1f732222b
            080110efbf86f580331a20707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f1a6c0a1508
            fbb8f7e3df3310f88886f5803318fb80b3c19c3310f88886f580331a1c0a0910cd80b4ccd4dfc60310fb80debadf331a
            08d0d1d2d3d4d5d6d71a2e0a0910959aa387d5dfc60310fbb8f7e3df331a08d1d2d3d4d5d6d7d820fb80b3c19c332801
            40fbb8f7e3df3348011a430a0e08fba8aab6e03310f89881c98a3310f89881c98a331a2a0a0910ec8af687d5dfc60310
            fba8aab6e0331a08d3d4d5d6d7d8d9da40fba8aab6e03350fbb8ccea9c33220708d0bf86f580332a1910f89881c98a33
            220910b2ff99f6d4dfc60328f88886f5803332220a200a121a108d1c2c5e0a4f4f3b9c612f7f6d1b5a90120a10f9be96
            dab1a682e409
            """),
        StoredSample(
            "a state with copies, revocations and prices", Self.priced,
            """
            080612fc020a25636f6d2e6578616d706c652e6e65777370617065722e7072656d69756d2e6d6f6e74686c7912740a09
            10959aa387d5dfc60310fbb8f7e3df331a20d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedee
            eff02001280230f8f88aa1f73238f8f88aa1f73240f88886f580334a0910b1ff99f6d4dfc6035205108eeb960a580268
            864e7a03444555b001fb80b3c19c33b8010112690a0910ec8af687d5dfc60310fba8aab6e0331a20d3d4d5d6d7d8d9da
            dbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f22001280230f88886f5803338f8f88aa1f73240f89881c98a
            334a0910b2ff99f6d4dfc6035205108eeb960a580268864e7a034445551a4508d0bf86f5803312204142434445464748
            494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f6018012001280130f89881c98a3338864e420345555248f8f8
            8aa1f732222b080110efbf86f580331a20707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e
            8f1a6c0a1508fbb8f7e3df3310f88886f5803318fb80b3c19c3310f88886f580331a1c0a0910cd80b4ccd4dfc60310fb
            80debadf331a08d0d1d2d3d4d5d6d71a2e0a0910959aa387d5dfc60310fbb8f7e3df331a08d1d2d3d4d5d6d7d820fb80
            b3c19c33280140fbb8f7e3df3348011a430a0e08fba8aab6e03310f89881c98a3310f89881c98a331a2a0a0910ec8af6
            87d5dfc60310fba8aab6e0331a08d3d4d5d6d7d8d9da40fba8aab6e03350fbb8ccea9c33220708d0bf86f580332a1910
            f89881c98a33220910b2ff99f6d4dfc60328f88886f5803332220a200a121a108d1c2c5e0a4f4f3b9c612f7f6d1b5a90
            120a10f9be96dab1a682e409
            """),
    ]

    private static let priced: StreamState = {
        var state = StreamState(key: Samples.key)
        for month in 0..<2 { state.apply(Samples.renewed(month: Int64(month))) }
        var number: UInt8 = 0xD0
        func apply(_ period: KeptPeriod, _ source: EventSource, _ change: (inout TransactionInfo) -> Void) {
            var transaction = period.info
            transaction.signedDate = Self.date + .days(Int64(number))
            transaction.digest = Samples.digest(number)
            number += 1
            change(&transaction)
            state.apply(
                SubscriptionEvent(facts: Facts(transactions: [transaction]), source: source, changes: [.noted]))
        }
        let (first, second) = (state.facts.periods[0], state.facts.periods[1])
        apply(first, .client) { $0.transactionID = TransactionID(rawValue: "2000000000000077") }
        apply(first, .notification) {
            ($0.revocationDate, $0.revocationReason) = (Self.date, .appIssue)
        }
        apply(second, .client) { $0.revocationDate = Self.date + .days(1) }
        apply(second, .notification) { _ in }
        return state
    }()

    private static let date = Moment(rawValue: 1_760_000_000_123)

    private static let everyField: SubscriptionEvent = {
        var transaction = Samples.transaction()
        transaction.isUpgraded = true
        transaction.revocationDate = Self.date
        transaction.revocationReason = .appIssue
        transaction.revocationType = "REFUND_PRORATED"
        transaction.revocationPercentage = 50_000
        transaction.offerType = .promotional
        transaction.offerIdentifier = "summer"
        transaction.offerDiscountType = "PAY_AS_YOU_GO"
        transaction.offerPeriod = "P1M"
        transaction.previousOriginalTransactionID = OriginalTransactionID(rawValue: "2000000099999999")
        transaction.billingPlanType = "MONTHLY"
        transaction.commitment = TransactionInfo.Commitment()
        transaction.commitment?.billingPeriodNumber = 3
        transaction.commitment?.totalBillingPeriods = 12
        transaction.commitment?.commitmentExpiresDate = Self.date + .days(270)
        transaction.commitment?.commitmentPrice = 119_880
        var renewal = Samples.renewal(product: "com.example.newspaper.basic")
        renewal.expirationIntent = .billingError
        renewal.isInBillingRetryPeriod = true
        renewal.gracePeriodExpiresDate = Self.date + .days(16)
        renewal.priceIncreaseStatus = 0
        renewal.offerType = .winBack
        renewal.offerIdentifier = "come-back"
        renewal.offerDiscountType = "FREE_TRIAL"
        renewal.offerPeriod = "P2W"
        renewal.eligibleWinBackOfferIDs = ["come-back", "again"]
        renewal.renewalBillingPlanType = "BILLED_UPFRONT"
        renewal.commitment = RenewalInfo.Commitment()
        renewal.commitment?.autoRenewProductID = "com.example.newspaper.premium.yearly"
        renewal.commitment?.autoRenewStatus = 0
        renewal.commitment?.renewalBillingPlanType = "MONTHLY"
        renewal.commitment?.renewalDate = Self.date + .days(270)
        renewal.commitment?.renewalPrice = 9_990
        return SubscriptionEvent(
            facts: Facts(
                transactions: [transaction], renewal: renewal,
                status: StatusObservation(status: .billingGracePeriod, asOf: Self.date, digest: Samples.digest(0xE0))),
            source: .notification, changes: [Change(rawValue: "refunded"), Change(rawValue: "enteredGrace")],
            signedDate: Self.date,
            notification: NotificationIdentity(
                uuid: "3F0A6C1E-9B77-4A55-8A5E-6D3C2B1A0F99", type: "CONSUMPTION_REQUEST",
                consumptionRequestReason: "LEGAL"),
            customerID: "4711", contentDigest: Samples.digest(0xE1))
    }()

    private static let unknownWords: TransactionInfo = {
        var transaction = Samples.transaction()
        transaction.transactionID = TransactionID(rawValue: "not-a-number")
        transaction.productType = "Bundle"
        transaction.inAppOwnershipType = "LENT"
        transaction.transactionReason = "GIFT"
        transaction.revocationType = "RECALL"
        transaction.offerDiscountType = "HALF"
        transaction.billingPlanType = "WEEKLY"
        transaction.appAccountToken = nil
        transaction.quantity = -1
        return transaction
    }()

    private static let foreign: SubscriptionEvent = {
        var transaction = Samples.transaction()
        transaction.originalTransactionID = OriginalTransactionID(rawValue: "2000000000000042")
        transaction.bundleID = BundleID(rawValue: "com.example.other")
        transaction.environment = .sandbox
        var renewal = Samples.renewal()
        renewal.originalTransactionID = OriginalTransactionID(rawValue: "2000000000000042")
        renewal.environment = AppStoreEnvironment(rawValue: "Moon")
        return SubscriptionEvent(
            facts: Facts(transactions: [transaction], renewal: renewal), source: .client,
            changes: [Change(rawValue: "noted")])
    }()

    private static let massExtension: NotificationRecord.MassExtensionSummary = {
        var summary = NotificationRecord.MassExtensionSummary(
            requestIdentifier: "3f0a6c1e-9b77-4a55-8a5e-6d3c2b1a0f11")
        summary.productID = Samples.product
        summary.storefrontCountryCodes = ["DEU", "USA"]
        summary.succeededCount = 12_345
        summary.failedCount = 6
        return summary
    }()

    private static let externalPurchase: NotificationRecord.ExternalPurchaseToken = {
        var token = NotificationRecord.ExternalPurchaseToken(externalPurchaseID: "SANDBOX_4f1c")
        token.tokenCreationDate = Self.date - .days(1)
        token.tokenType = "SERVICES"
        token.tokenExpirationDate = Self.date + .days(30)
        return token
    }()

    private static let consentRescinded: NotificationRecord.ConsentRescinded = {
        var data = NotificationRecord.ConsentRescinded(appTransactionID: Samples.appTransactionID)
        data.originalPurchaseDate = Self.date - .days(100)
        data.originalApplicationVersion = "1.4"
        data.originalPlatform = "iOS"
        return data
    }()

    private static func recorded(
        _ record: NotificationRecord, type: String, subtype: String? = nil
    ) -> SubscriptionEvent {
        SubscriptionEvent(
            source: .notification, changes: [Change(rawValue: "noted")], signedDate: Self.date,
            notification: NotificationIdentity(
                uuid: "3f0a6c1e-9b77-4a55-8a5e-6d3c2b1a0f99", type: type, subtype: subtype),
            record: record, contentDigest: Samples.digest(0xD4))
    }
}

extension StreamState {
    /// As versions folded it that kept no price.
    fileprivate var withoutPrices: StreamState {
        var state = self
        for place in state.facts.periods.indices { state.facts.periods[place].info.price = nil }
        return state
    }
}
