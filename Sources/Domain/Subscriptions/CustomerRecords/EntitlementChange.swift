/// The answer about one name of the catalog, as a customer was told it.
package struct ToldAnswer: Hashable, Sendable {
    package var entitled: Bool
    /// As answers spell it; nil when nothing is known.
    package var state: String?
    package var code: String
    /// nil when not entitled, and where there is no end.
    package var validUntil: Moment?
    package var productID: String?
    package var rank: Int?
    /// The stream or the grant that gives the name, or gave it last.
    package var by: EntitlementGiver?

    package init(
        entitled: Bool, state: String? = nil, code: String, validUntil: Moment? = nil, productID: String? = nil,
        rank: Int? = nil, by: EntitlementGiver? = nil
    ) {
        self.entitled = entitled
        self.state = state
        self.code = code
        self.validUntil = validUntil
        self.productID = productID
        self.rank = rank
        self.by = by
    }

    /// Whether both say the same of who gives the name and what it is worth. An end that moves is no news.
    package func saysLike(_ other: Self) -> Bool {
        self.entitled == other.entitled && (!self.entitled || self.rank == other.rank && self.by == other.by)
    }
}

/// A name of the catalog, in the environment that is asked about.
package struct EntitlementName: Hashable, Sendable {
    package var entitlement: String
    package var environment: AppStoreEnvironment

    package init(_ entitlement: String, in environment: AppStoreEnvironment) {
        self.entitlement = entitlement
        self.environment = environment
    }
}

/// The answer about a name has become another one.
package struct EntitlementChange: Hashable, Sendable {
    package var name: EntitlementName
    /// As the customer was told it; nil where it had not got the name.
    package var previous: ToldAnswer?
    package var current: ToldAnswer

    package init(_ name: EntitlementName, from previous: ToldAnswer?, to current: ToldAnswer) {
        self.name = name
        self.previous = previous
        self.current = current
    }
}
