package import AppStoreSimulator
package import Subscriptions

/// A notification put together by hand, for tests: what the lives of a crowd come to now and then is here for certain.
package struct StoreSample: Sendable {
    package let type: String
    package let subtype: String?
    /// What sets it apart from others of its type; empty for the plain one.
    package let variant: String
    package let notification: StoreNotification

    /// `EXPIRED/VOLUNTARY`.
    package var name: String { [self.type, self.subtype].compactMap(\.self).joined(separator: "/") }

    // MARK: Who and when

    package static let signedDate = Moment(milliseconds: 1_767_225_600_000)  // 2026-01-01
    package static let originalTransactionID = "2000000900000001"
    package static let transactionID = "2000000900000007"
    /// A customer of an app that gives account tokens.
    package static let profile = (0..<100).map(Self.profile).first { $0.appAccountToken != nil } ?? Self.profile(100)

    private static func profile(_ number: Int) -> CustomerProfile {
        var random = SeededGenerator(seed: UInt64(number))
        return CustomerProfile(index: number, random: &random)
    }

    package init(
        _ type: String, _ subtype: String? = nil, _ variant: String = "", content: StoreNotification.Content
    ) {
        self.type = type
        self.subtype = subtype
        self.variant = variant
        let seed = "\(type) \(subtype ?? "") \(variant)".utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
        var random = SeededGenerator(seed: seed)
        self.notification = StoreNotification(
            type: type, subtype: subtype, uuid: random.uuid(), signedDate: Self.signedDate, content: content)
    }

    // MARK: Purchases

    /// About a subscription in the middle of its seventh month, which is well unless said otherwise.
    package static func subscription(
        _ type: String, _ subtype: String? = nil, _ variant: String = "",
        to product: Product = .sold("pro.monthly"), offer: Offer? = nil, status: Int = 1,
        winBackOfferIDs: [String]? = nil, consumptionRequestReason: String? = nil,
        transaction change: (inout StoreTransaction) -> Void = { _ in },
        terms changeTerms: (inout RenewalTerms) -> Void = { _ in }
    ) -> StoreSample {
        var transaction = self.transaction(of: product, offer: offer)
        change(&transaction)
        var terms = RenewalTerms()
        terms.product = product
        terms.recentStart = Self.signedDate - .days(200)
        changeTerms(&terms)
        return StoreSample(
            type, subtype, variant,
            content: .purchase(
                StoreNotification.Purchase(
                    profile: Self.profile, transaction: transaction,
                    renewal: RenewalSummary(
                        terms: terms, transaction: transaction, winBackOfferIDs: winBackOfferIDs),
                    status: status, consumptionRequestReason: consumptionRequestReason)))
    }

    /// About something that is bought once.
    package static func oneTime(
        _ type: String, _ variant: String, of kind: Product.Kind, quantity: Int64 = 1,
        transaction change: (inout StoreTransaction) -> Void = { _ in }
    ) -> StoreSample {
        let product = Product(id: "once", price: 990, kind: kind)
        var transaction = StoreTransaction(
            id: Self.originalTransactionID, originalID: Self.originalTransactionID, product: product,
            quantity: quantity, purchaseDate: Self.signedDate - .hours(1),
            originalPurchaseDate: Self.signedDate - .hours(1), reason: .purchase, price: product.price * quantity)
        change(&transaction)
        return StoreSample(
            type, nil, variant,
            content: .purchase(StoreNotification.Purchase(profile: Self.profile, transaction: transaction)))
    }

    private static func transaction(of product: Product, offer: Offer?) -> StoreTransaction {
        StoreTransaction(
            id: Self.transactionID, originalID: Self.originalTransactionID, webOrderLineItemID: "2000000000007",
            product: product, purchaseDate: Self.signedDate - .days(15),
            originalPurchaseDate: Self.signedDate - .days(200), expiresDate: Self.signedDate + .days(15),
            reason: .renewal, offer: offer, price: offer?.price ?? product.price)
    }
}

extension Product {
    /// Of the default scenario.
    static func sold(_ id: String) -> Product {
        guard let product = Scenario.default.product(id) else { preconditionFailure("\(id) is not sold by default") }
        return product
    }
}
