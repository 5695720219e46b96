import AppStoreSimulator
import Subscriptions

/// What the notifications of one customer and their family have said so far, in the order of signing, and what the next
/// one has to say for that.
struct FamilyMemory {
    private var streams: [String: StreamMemory] = [:]
    /// The purchaser's, by subscription group.
    private var purchasers: [String: String] = [:]

    /// The memory of the subscription or purchase that it is about, this notification included.
    mutating func hear(_ notification: DecodedNotification) -> StreamMemory {
        let transaction = notification.transaction ?? [:]
        let id = transaction["originalTransactionId"] as? String ?? ""
        let group = transaction["subscriptionGroupIdentifier"] as? String ?? id
        if !notification.isShared { self.purchasers[group] = id }
        var stream = self.streams[id] ?? StreamMemory()
        stream.hear(notification, purchaser: self.purchasers[group].flatMap { self.streams[$0] })
        self.streams[id] = stream
        return stream
    }
}

/// A transaction as it was told first, and what has become of it.
struct TransactionMemory {
    /// Members that never change.
    static let constant = [
        "productId", "purchaseDate", "price", "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod",
        "billingPlanType", "transactionReason", "webOrderLineItemId",
    ]
    static let revocation = ["revocationDate", "revocationReason", "revocationType", "revocationPercentage"]

    let told: String
    let starts: Int64
    var expires: Int64
    let hasOffer: Bool
    let isIntroduction: Bool
    let isCommitted: Bool
    var isUpgraded = false
    var isMigrated: Bool
    /// As the notification that took it back told it; `[]` while it stands.
    var revocation = "[]"
    var isRevoked = false
}

/// What one subscription's or purchase's notifications have said so far.
struct StreamMemory {
    private(set) var status: Int?
    private(set) var intent: Int?
    private(set) var isInRetry: Bool?
    private(set) var graceEnd: Int64?
    private(set) var priceIncrease: Int?
    private var transactions: [String: TransactionMemory] = [:]
    private var newest = ""
    private var renews = true
    private var isMigrated = false
    /// A period that was taken back before it begins.
    private var revokedFrom: Int64?

    func transaction(_ notification: DecodedNotification) -> TransactionMemory? {
        self.transactions[notification.transaction?["transactionId"] as? String ?? ""]
    }

    mutating func hear(_ notification: DecodedNotification, purchaser: StreamMemory?) {
        guard let transaction = notification.transaction, let id = transaction["transactionId"] as? String else {
            return
        }
        let signed = notification.envelope["signedDate"] as? Int64 ?? 0
        self.pass(to: signed)
        if self.transactions[id] == nil {
            self.begin(id, notification, transaction, purchaser: purchaser)
        }
        self.take(notification, transaction, id, signed: signed)
        if let renewal = notification.renewal { self.renews = renewal["autoRenewStatus"] as? Int == 1 }
    }

    /// What comes by itself.
    private mutating func pass(to moment: Int64) {
        guard let newest = self.transactions[self.newest], self.status != nil else { return }
        if self.status == 1, !self.renews, moment >= newest.expires { self.status = 2 }
        if self.status == 4, let graceEnd, moment >= graceEnd { self.status = 3 }
        if let revokedFrom, moment >= revokedFrom { self.status = 5 }
    }

    private mutating func begin(
        _ id: String, _ notification: DecodedNotification, _ transaction: [String: Any], purchaser: StreamMemory?
    ) {
        if notification.subtype == "UPGRADE" { self.transactions[self.newest]?.isUpgraded = true }
        self.isMigrated = self.isMigrated || purchaser?.isMigrated == true
        self.transactions[id] = TransactionMemory(
            told: notification.members(Set(TransactionMemory.constant), of: transaction),
            starts: transaction["purchaseDate"] as? Int64 ?? 0, expires: transaction["expiresDate"] as? Int64 ?? 0,
            hasOffer: notification.hasOffer(transaction), isIntroduction: transaction["offerType"] as? Int == 1,
            isCommitted: transaction["productId"] as? String == "pro.committed", isMigrated: self.isMigrated)
        self.newest = id
        (self.intent, self.isInRetry, self.graceEnd, self.priceIncrease) = (nil, nil, nil, nil)
        self.revokedFrom = nil
        if notification.isAboutSubscription { self.status = 1 }
        // Who joins in the middle takes over the terms.
        if notification.isShared, notification.type == "SUBSCRIBED" { self.priceIncrease = purchaser?.priceIncrease }
    }

    private mutating func take(
        _ notification: DecodedNotification, _ transaction: [String: Any], _ id: String, signed: Int64
    ) {
        switch notification.type {
        case "DID_FAIL_TO_RENEW":
            (self.intent, self.isInRetry, self.status) = (2, true, 3)
            guard notification.subtype == "GRACE_PERIOD", let newest = self.transactions[self.newest] else { return }
            let days: Int64 = transaction["productId"] as? String == "news.weekly" ? 6 : 16
            (self.graceEnd, self.status) = (newest.expires + days * 86_400_000, 4)
        case "GRACE_PERIOD_EXPIRED":
            (self.graceEnd, self.status) = (nil, 3)
        case "EXPIRED":
            let intents = ["VOLUNTARY": 1, "BILLING_RETRY": 2, "PRICE_INCREASE": 3, "PRODUCT_NOT_FOR_SALE": 4]
            self.intent = notification.subtype.map { intents[$0] ?? 0 } ?? 5
            (self.isInRetry, self.graceEnd, self.status) = (self.isInRetry.map { _ in false }, nil, 2)
        case "REFUND", "REVOKE":
            let names = Set(TransactionMemory.revocation)
            self.transactions[id]?.revocation = notification.members(names, of: transaction)
            self.transactions[id]?.isRevoked = true
            guard notification.isAboutSubscription, id == self.newest, let newest = self.transactions[id] else {
                return
            }
            if newest.starts <= signed { self.status = 5 } else { self.revokedFrom = newest.starts }
        case "REFUND_REVERSED":
            self.transactions[id]?.revocation = "[]"
            self.transactions[id]?.isRevoked = false
            guard notification.isAboutSubscription, id == self.newest, let newest = self.transactions[id] else {
                return
            }
            (self.status, self.revokedFrom) = (signed < newest.expires ? 1 : 2, nil)
        case "PRICE_INCREASE":
            self.priceIncrease = notification.subtype == "PENDING" ? 0 : 1
        case "RENEWAL_EXTENDED":
            self.transactions[id]?.expires = transaction["expiresDate"] as? Int64 ?? 0
        case "MIGRATION":
            self.isMigrated = true
            self.transactions[self.newest]?.isMigrated = true
        default:
            return
        }
    }

    // MARK: What applies

    private static let alwaysInTransaction: Set = [
        "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "originalPurchaseDate",
        "quantity", "type", "inAppOwnershipType", "signedDate", "environment", "storefront", "storefrontId",
        "transactionReason", "price", "currency", "appTransactionId",
    ]
    private static let alwaysInRenewal: Set = [
        "originalTransactionId", "productId", "autoRenewProductId", "autoRenewStatus", "renewalDate", "renewalPrice",
        "currency", "recentSubscriptionStartDate", "appTransactionId", "signedDate", "environment",
    ]

    func transactionMembers(of notification: DecodedNotification) -> Set<String> {
        guard let transaction = self.transaction(notification) else { return [] }
        var names = Self.alwaysInTransaction
        if notification.isAboutSubscription {
            names.formUnion(["webOrderLineItemId", "subscriptionGroupIdentifier", "expiresDate"])
        }
        if notification.hasToken { names.insert("appAccountToken") }
        if transaction.isUpgraded { names.insert("isUpgraded") }
        if transaction.isRevoked {
            names.formUnion(["revocationDate", "revocationReason", "revocationType"])
            if !notification.isShared { names.insert("revocationPercentage") }
        }
        if transaction.hasOffer {
            names.formUnion(["offerType", "offerDiscountType", "offerPeriod"])
            if !transaction.isIntroduction { names.insert("offerIdentifier") }
        }
        if transaction.isCommitted { names.formUnion(["billingPlanType", "commitmentInfo"]) }
        if transaction.isMigrated { names.insert("advancedCommerceInfo") }
        return names
    }

    func renewalMembers(of notification: DecodedNotification) -> Set<String> {
        guard let renewal = notification.renewal, let newest = self.transactions[self.newest] else { return [] }
        var names = Self.alwaysInRenewal
        if notification.hasToken { names.insert("appAccountToken") }
        if self.intent != nil { names.insert("expirationIntent") }
        if self.isInRetry != nil { names.insert("isInBillingRetryPeriod") }
        if self.graceEnd != nil { names.insert("gracePeriodExpiresDate") }
        if self.priceIncrease != nil { names.insert("priceIncreaseStatus") }
        let product = Scenario.default.product(renewal["productId"] as? String ?? "")
        if [2, 5].contains(self.status), product?.plan?.offers.contains(where: { $0.kind == .winBack }) == true {
            names.insert("eligibleWinBackOfferIds")
        }
        if notification.hasOffer(renewal) {
            names.formUnion(["offerType", "offerIdentifier", "offerDiscountType", "offerPeriod"])
        }
        if renewal["autoRenewProductId"] as? String == "pro.committed" { names.insert("renewalBillingPlanType") }
        if newest.isCommitted { names.insert("commitmentInfo") }
        if newest.isMigrated { names.insert("advancedCommerceInfo") }
        return names
    }
}

extension DecodedNotification {
    var isAboutSubscription: Bool { self.transaction?["type"] as? String == "Auto-Renewable Subscription" }
    var isShared: Bool { self.transaction?["inAppOwnershipType"] as? String == "FAMILY_SHARED" }
    var hasToken: Bool { !self.isShared && self.transaction?["appAccountToken"] != nil }

    /// Any of the four members by which a payload names an offer.
    func hasOffer(_ payload: [String: Any]) -> Bool { payload.keys.contains { $0.hasPrefix("offer") } }

    func members(_ names: Set<String>, of payload: [String: Any]) -> String {
        "\(payload.filter { names.contains($0.key) }.map { "\($0.key) \($0.value)" }.sorted())"
    }
}

extension Product {
    /// The one that a payload names, if it is one of this product's.
    func offer(in payload: [String: Any]) -> Offer? {
        self.plan?.offers.first { offer in
            payload["offerType"] as? Int64 == offer.kind.rawValue
                && payload["offerIdentifier"] as? String == offer.identifier
                && payload["offerDiscountType"] as? String == offer.discount.rawValue
                && payload["offerPeriod"] as? String == offer.period.iso8601
        }
    }
}
