import Subscriptions

/// Which transactions a client wants, and in which order.
struct TransactionFilter {
    private let start: Moment?
    private let end: Moment?
    private let products: Set<String>
    private let types: Set<String>
    private let groups: Set<String>
    private let ownership: StoreTransaction.Ownership?
    private let isRevoked: Bool?
    let isAscending: Bool

    /// The filter's word for each `type`.
    private static let types = [
        "AUTO_RENEWABLE": "Auto-Renewable Subscription", "NON_RENEWABLE": "Non-Renewing Subscription",
        "CONSUMABLE": "Consumable", "NON_CONSUMABLE": "Non-Consumable",
    ]

    init(_ call: StoreCall) throws(StoreAPIError) {
        self.start = try call.date("startDate", else: .badStartDate)
        self.end = try call.date("endDate", else: .badEndDate)
        if let start, let end, start >= end { throw .startAfterEnd }
        self.products = Set(call.values("productId"))
        guard self.products.allSatisfy({ !$0.isEmpty }) else { throw .badProductID }
        var types = Set<String>()
        for word in call.values("productType") {
            guard let type = Self.types[word] else { throw .badProductType }
            types.insert(type)
        }
        self.types = types
        self.groups = Set(call.values("subscriptionGroupIdentifier"))
        guard self.groups.allSatisfy({ !$0.isEmpty }) else { throw .badSubscriptionGroup }
        self.ownership = try Self.ownership(call.value("inAppOwnershipType"))
        // One of Apple's clients writes it with a capital letter.
        switch call.value("revoked")?.lowercased() {
        case nil: self.isRevoked = nil
        case "true": self.isRevoked = true
        case "false": self.isRevoked = false
        default: throw .badRevoked
        }
        switch call.value("sort") {
        case nil, "ASCENDING": self.isAscending = true
        case "DESCENDING": self.isAscending = false
        default: throw .badSort
        }
    }

    private static func ownership(_ word: String?) throws(StoreAPIError) -> StoreTransaction.Ownership? {
        guard let word else { return nil }
        guard let ownership = StoreTransaction.Ownership(rawValue: word) else { throw .badOwnershipType }
        return ownership
    }

    var order: Revision.Kind { self.isAscending ? .ascending : .descending }

    func includes(_ transaction: StoreTransaction) -> Bool {
        if let start, transaction.purchaseDate < start { return false }
        if let end, transaction.purchaseDate >= end { return false }
        if !self.products.isEmpty, !self.products.contains(transaction.product.id) { return false }
        if !self.types.isEmpty, !self.types.contains(transaction.product.type) { return false }
        if !self.groups.isEmpty, transaction.product.plan.map({ self.groups.contains($0.group) }) != true {
            return false
        }
        if let ownership, transaction.ownership != ownership { return false }
        if let isRevoked, (transaction.revocation != nil) != isRevoked { return false }
        return true
    }
}
