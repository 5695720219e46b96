import Subscriptions

/// Values as Apple sends them: ids, words and dates of the usual length.
enum Samples {
    static let key = StreamKey(
        kind: .subscription, id: "2000000123456789", environment: .production,
        bundleID: BundleID(rawValue: "com.example.newspaper"))

    static let product = "com.example.newspaper.premium.monthly"
    static let token = "8d1c2c5e-0a4f-4f3b-9c61-2f7f6d1b5a90"
    static let appTransactionID = "704823456789012345"

    /// The month that begins `month` months of 30 days after the first purchase.
    static func transaction(month: Int64 = 0) -> TransactionInfo {
        let firstPurchase = Moment(rawValue: 1_750_000_123_000)
        let start = firstPurchase + .days(30 * month)
        var info = TransactionInfo(
            originalTransactionID: OriginalTransactionID(rawValue: Self.key.id),
            transactionID: TransactionID(rawValue: String(2_000_000_123_456_789 + 1_357_911 * month)),
            bundleID: Self.key.bundleID, environment: Self.key.environment, signedDate: start + .seconds(7),
            digest: Self.digest(0x10 + UInt8(month)))
        info.webOrderLineItemID = String(2_000_000_087_654_321 + month)
        info.productID = Self.product
        info.subscriptionGroupIdentifier = "21345678"
        info.productType = "Auto-Renewable Subscription"
        info.purchaseDate = start
        info.originalPurchaseDate = firstPurchase
        info.expiresDate = start + .days(30)
        info.quantity = 1
        info.appAccountToken = Self.token
        info.inAppOwnershipType = "PURCHASED"
        info.storefront = "DEU"
        info.storefrontID = "143443"
        info.transactionReason = month == 0 ? "PURCHASE" : "RENEWAL"
        info.price = 9_990
        info.currency = "EUR"
        info.appTransactionID = Self.appTransactionID
        return info
    }

    static func renewal(month: Int64 = 0, product: String = Self.product) -> RenewalInfo {
        let transaction = Self.transaction(month: month)
        var info = RenewalInfo(
            originalTransactionID: transaction.originalTransactionID, environment: transaction.environment,
            signedDate: transaction.signedDate, digest: Self.digest(0x40 + UInt8(month)))
        info.productID = transaction.productID
        info.autoRenewProductID = product
        info.autoRenewStatus = 1
        info.renewalDate = transaction.expiresDate
        info.renewalPrice = 9_990
        info.currency = "EUR"
        info.recentSubscriptionStartDate = transaction.originalPurchaseDate
        info.appAccountToken = Self.token
        info.appTransactionID = Self.appTransactionID
        return info
    }

    static func renewed(month: Int64 = 1) -> SubscriptionEvent {
        let transaction = Self.transaction(month: month)
        let signedDate = transaction.signedDate + Milliseconds(rawValue: 31)
        return SubscriptionEvent(
            facts: Facts(
                transactions: [transaction], renewal: Self.renewal(month: month),
                status: StatusObservation(status: .active, asOf: signedDate, digest: Self.digest(0x70))),
            source: .notification, changes: [Change(rawValue: "renewed")], signedDate: signedDate,
            notification: NotificationIdentity(uuid: "3f0a6c1e-9b77-4a55-8a5e-6d3c2b1a0f99", type: "DID_RENEW"),
            contentDigest: Self.digest(0x90))
    }

    /// Of a customer who is in the sixth month.
    static func state() -> StreamState {
        var state = StreamState(key: Self.key)
        for month in 0..<6 { state.apply(Self.renewed(month: Int64(month))) }
        return state
    }

    static func digest(_ first: UInt8) -> PayloadDigest { PayloadDigest((0..<32).map { first &+ $0 }) }
}
