package import Subscriptions

/// Which transactions of a customer are asked for. Different members narrow each other; the elements of one widen it.
package struct HistoryFilter: Hashable, Sendable {
    /// Bounds of purchaseDate: from the first on, before the second.
    package var startDate: Moment?
    package var endDate: Moment?
    package var productIDs: [String] = []
    /// AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE, NON_CONSUMABLE.
    package var productTypes: [String] = []
    package var subscriptionGroupIdentifiers: [String] = []
    /// PURCHASED, FAMILY_SHARED or ASSIGNED.
    package var ownershipType: String?
    /// By when they were modified. Only ascending histories can be taken up again later.
    package var ascending = true
    /// nil for both.
    package var revoked: Bool?

    package init() {}
}
