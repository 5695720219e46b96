import Subscriptions

/// A purchase or a renewal as the store keeps it.
struct StoreTransaction: Hashable, Sendable {
    enum Reason: String, Sendable {
        case purchase = "PURCHASE"
        case renewal = "RENEWAL"
    }

    struct Revocation: Hashable, Sendable {
        let date: Moment
        /// 1 an issue with the app, 0 another.
        let reason: Int64

        static func refund(at moment: Moment, random: inout SeededGenerator) -> Revocation {
            Revocation(date: moment, reason: random.chance(300) ? 1 : 0)
        }
    }

    let id: String
    let originalID: String
    /// nil for one-time purchases.
    var webOrderLineItemID: String?
    let product: Product
    var quantity: Int64 = 1
    let purchaseDate: Moment
    let originalPurchaseDate: Moment
    /// nil for one-time purchases.
    var expiresDate: Moment?
    let reason: Reason
    var offer: Offer?
    /// Milliunits, for the whole quantity.
    let price: Int64
    var isUpgraded = false
    var revocation: Revocation?
}
