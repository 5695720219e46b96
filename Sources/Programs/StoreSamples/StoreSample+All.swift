import AppStoreSimulator
import Subscriptions

extension StoreSample {
    /// Each type and subtype of Apple's, and each form that its payloads may take.
    package static let all: [StoreSample] =
        purchases + renewals + endings + changes + refunds + extensions + commitments + advancedCommerce + others

    private static let purchases: [StoreSample] = [
        subscription("SUBSCRIBED", "INITIAL_BUY", "free trial", offer: trial),
        subscription("SUBSCRIBED", "INITIAL_BUY", "family", transaction: { $0.ownership = .familyShared }),
        subscription("SUBSCRIBED", "RESUBSCRIBE", "win-back", offer: winBack, terms: { $0.nextOffer = winBack }),
        subscription("OFFER_REDEEMED", nil, "promotional", offer: promotional),
        subscription("OFFER_REDEEMED", "UPGRADE", "offer code", offer: offerCode),
        subscription("OFFER_REDEEMED", "DOWNGRADE", terms: { $0.move(to: .sold("basic.monthly"), winBack) }),
        oneTime("ONE_TIME_CHARGE", "consumable", of: .consumable, quantity: 3),
        oneTime("ONE_TIME_CHARGE", "non-consumable", of: .nonConsumable),
        oneTime("ONE_TIME_CHARGE", "family", of: .nonConsumable, transaction: { $0.ownership = .familyShared }),
        oneTime("ONE_TIME_CHARGE", "non-renewing", of: .nonRenewing),
    ]

    private static let renewals: [StoreSample] = [
        subscription("DID_RENEW"),
        subscription("DID_RENEW", "BILLING_RECOVERY"),
        subscription("DID_FAIL_TO_RENEW", "GRACE_PERIOD", status: 4, transaction: { $0.end() }) {
            $0.fail()
            $0.gracePeriodExpiresDate = signedDate + .days(15)
        },
        subscription("DID_FAIL_TO_RENEW", status: 3, transaction: { $0.end() }, terms: { $0.fail() }),
        subscription("GRACE_PERIOD_EXPIRED", status: 3, transaction: { $0.end() }, terms: { $0.fail() }),
    ]

    private static let endings: [StoreSample] = [
        ending("VOLUNTARY", .customerCancelled, winBackOfferIDs: ["winback.half", "winback.month"]),
        ending("BILLING_RETRY", .billingError) { $0.isInBillingRetryPeriod = false },
        ending("PRICE_INCREASE", .priceIncreaseNotAccepted) { $0.raise(.pending) },
        ending("PRODUCT_NOT_FOR_SALE", .productUnavailable),
        ending(nil, .other),
    ]

    private static let changes: [StoreSample] = [
        subscription("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", terms: { $0.autoRenew = false }),
        subscription("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"),
        subscription("DID_CHANGE_RENEWAL_PREF", "UPGRADE"),
        subscription("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", terms: { $0.move(to: .sold("basic.monthly")) }),
        subscription("DID_CHANGE_RENEWAL_PREF"),
        subscription("PRICE_INCREASE", "PENDING", terms: { $0.raise(.pending) }),
        subscription("PRICE_INCREASE", "ACCEPTED", terms: { $0.raise(.accepted) }),
    ]

    private static let refunds: [StoreSample] = [
        subscription("CONSUMPTION_REQUEST", consumptionRequestReason: "UNSATISFIED_WITH_PURCHASE"),
        subscription("REFUND", status: 5, transaction: { $0.revoke(.refundFull, reason: 1, percentage: 100_000) }),
        subscription(
            "REFUND", nil, "prorated", status: 5,
            transaction: { $0.revoke(.refundProrated, reason: 0, percentage: 43_250) }),
        subscription("REFUND", nil, "upgraded") {
            $0.revoke(.refundProrated, reason: 0, percentage: 43_250)
            $0.isUpgraded = true
        },
        oneTime(
            "REFUND", "one-time", of: .consumable,
            transaction: { $0.revoke(.refundFull, reason: 0, percentage: 100_000) }),
        subscription("REFUND_DECLINED"),
        subscription("REFUND_REVERSED"),
        subscription("REVOKE", status: 5) {
            $0.ownership = .familyShared
            $0.revoke(.familyRevoke, reason: 0, percentage: nil)
        },
    ]

    private static let extensions: [StoreSample] = [
        subscription("RENEWAL_EXTENDED", transaction: { $0.expiresDate = signedDate + .days(29) }),
        StoreSample("RENEWAL_EXTENSION", "SUMMARY", content: .extensionSummary(summary(storefronts: ["USA", "DEU"]))),
        StoreSample(
            "RENEWAL_EXTENSION", "SUMMARY", "everywhere", content: .extensionSummary(summary(storefronts: nil))),
        subscription("RENEWAL_EXTENSION", "FAILURE"),
    ]

    private static let commitments: [StoreSample] = [
        subscription("DID_RENEW", nil, "commitment", to: .sold("pro.committed")) {
            $0.commitment = StoreTransaction.Commitment(
                number: 7, periods: 12, expiresDate: signedDate + .days(165), price: 95_880)
        } terms: {
            $0.commitmentAutoRenew = false
        },
        subscription("DID_RENEW", nil, "paid up front", to: .sold("pro.committed")),
        subscription(
            "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", "to a commitment",
            terms: { $0.move(to: .sold("pro.committed")) }),
    ]

    private static let advancedCommerce: [StoreSample] = [
        subscription("MIGRATION") {
            $0.migrate()
            $0.previousOriginalID = "2000000800000001"
        },
        subscription("METADATA_UPDATE", transaction: { $0.migrate() }),
        subscription("PRICE_CHANGE", transaction: { $0.migrate() }, terms: { $0.raise(.pending) }),
        subscription("DID_RENEW", nil, "migrated, with an offer", offer: winBack) {
            $0.migrate()
        } terms: {
            $0.nextOffer = winBack
        },
        subscription("REFUND", nil, "migrated", status: 5) {
            $0.migrate()
            $0.revoke(.refundProrated, reason: 1, percentage: 50_000)
        },
    ]

    private static let others: [StoreSample] = [
        StoreSample("EXTERNAL_PURCHASE_TOKEN", "CREATED", content: .externalPurchaseToken(token(.services))),
        StoreSample(
            "EXTERNAL_PURCHASE_TOKEN", "ACTIVE_TOKEN_REMINDER", content: .externalPurchaseToken(token(.acquisition))),
        StoreSample("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", content: .externalPurchaseToken(token(.services))),
        StoreSample(
            "RESCIND_CONSENT", content: .appTransaction(profile, originalPurchaseDate: signedDate - .days(300))),
        StoreSample("TEST", content: .test),
    ]

    // MARK: Parts

    private static let trial = Offer(
        kind: .introductory, identifier: nil, discount: .freeTrial, period: .weeks(1), price: 0)
    private static let promotional = Offer(
        kind: .promotional, identifier: "stay.month", discount: .freeTrial, period: .months(1), price: 0)
    private static let offerCode = Offer(
        kind: .offerCode, identifier: "code.quarter", discount: .payUpFront, period: .months(3), price: 9_990)
    private static let winBack = Offer(
        kind: .winBack, identifier: "winback.half", discount: .payAsYouGo, period: .months(1), periods: 2, price: 2_490)

    private static func ending(
        _ subtype: String?, _ intent: RenewalTerms.ExpirationIntent, winBackOfferIDs: [String]? = nil,
        terms change: (inout RenewalTerms) -> Void = { _ in }
    ) -> StoreSample {
        self.subscription("EXPIRED", subtype, status: 2, winBackOfferIDs: winBackOfferIDs, transaction: { $0.end() }) {
            $0.autoRenew = false
            $0.expirationIntent = intent
            change(&$0)
        }
    }

    private static func summary(storefronts: [String]?) -> StoreNotification.ExtensionSummary {
        StoreNotification.ExtensionSummary(
            requestIdentifier: "9f6c2a4e-7b1d-4c55-8f0e-3a2b1c0d9e8f", productID: "pro.monthly",
            storefronts: storefronts, succeeded: 3_000_000_000, failed: 2)
    }

    private static func token(
        _ kind: StoreNotification.ExternalPurchaseToken.Kind
    ) -> StoreNotification.ExternalPurchaseToken {
        StoreNotification.ExternalPurchaseToken(
            id: "6e0b8d52-14a3-4c0f-9a77-5d2f3c1b0a99", created: signedDate - .days(31),
            expires: signedDate + .days(334), kind: kind)
    }
}

extension StoreTransaction {
    fileprivate mutating func end() { self.expiresDate = StoreSample.signedDate - .hours(1) }

    fileprivate mutating func revoke(_ kind: Revocation.Kind, reason: Int64, percentage: Int64?) {
        self.revocation = Revocation(
            date: StoreSample.signedDate - .minutes(1), reason: reason, kind: kind, percentage: percentage)
    }

    fileprivate mutating func migrate() {
        self.advancedCommerce = AdvancedCommerce(
            requestReferenceID: "0d9a4f6e-5b70-4a7e-8b0a-9f1f4d3c2b1a", displayName: "Pro", description: "All of it",
            price: 9_990)
    }
}

extension RenewalTerms {
    fileprivate mutating func fail() {
        self.expirationIntent = .billingError
        self.isInBillingRetryPeriod = true
    }

    fileprivate mutating func raise(_ increase: PriceIncrease) {
        self.priceIncrease = increase
        self.raisedPrice = 12_990
    }

    fileprivate mutating func move(to product: Product, _ offer: Offer? = nil) {
        self.product = product
        self.nextOffer = offer
    }
}
