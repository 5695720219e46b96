import Subscriptions

/// What a publisher has the store do by its API. Those that were carried out belong to the simulation as much as its seed:
/// with them it can be lived through again.
enum StoreOrder: Codable, Hashable, Sendable {
    case test
    case extend(originalTransactionID: String, days: Int64)
    case extendEverybody(MassExtension)
    case setAppAccountToken(String, originalTransactionID: String)

    struct MassExtension: Codable, Hashable, Sendable {
        let requestIdentifier: String
        let productID: String
        let days: Int64
        /// nil: all.
        let storefronts: [String]?
    }

    /// An order that was carried out, and when.
    struct Entry: Codable, Hashable, Sendable {
        let order: StoreOrder
        /// How many turns had been taken before.
        let turns: Int
        /// Milliseconds since 1970.
        let moment: Int64
    }

    /// What came of an order.
    enum Outcome: Hashable, Sendable {
        /// The test notification's UUID, and when it was signed.
        case testing(uuid: String, signedDate: Moment)
        case extended(webOrderLineItemID: String?, effectiveDate: Moment)
        /// Everybody's extension was known before, or has been carried out now.
        case extending
        case tokenSet
        case refused(StoreAPIError)
    }
}
