package import Subscriptions

/// Which subscriptions and purchases a list of customers names. A member that is nil or false filters nothing.
package struct CustomerFilter: Hashable, Sendable {
    package var environment: AppStoreEnvironment
    package var bundleID: BundleID?
    package var state: LifecycleState?
    package var productID: String?
    /// The paid period, or the duration of a non-renewing purchase, ends before this moment.
    package var expiresBefore: Moment?
    /// The same: at this moment or later.
    package var expiresFrom: Moment?
    /// A link to it was refused and waits for a person.
    package var hasConflicts: Bool
    /// Nobody has said whose it is: it leads nowhere, or by its token alone to the customer whose id that is.
    package var isUnclaimed: Bool
    /// One of its customers pays for it and for something else, and was told.
    package var isPaidTwice: Bool

    package init(
        environment: AppStoreEnvironment = .production, bundleID: BundleID? = nil, state: LifecycleState? = nil,
        productID: String? = nil, expiresBefore: Moment? = nil, expiresFrom: Moment? = nil,
        hasConflicts: Bool = false, isUnclaimed: Bool = false, isPaidTwice: Bool = false
    ) {
        self.environment = environment
        self.bundleID = bundleID
        self.state = state
        self.productID = productID
        self.expiresBefore = expiresBefore
        self.expiresFrom = expiresFrom
        self.hasConflicts = hasConflicts
        self.isUnclaimed = isUnclaimed
        self.isPaidTwice = isPaidTwice
    }
}

/// One subscription or purchase of a list, and whose it is.
package struct CustomerListing: Hashable, Sendable {
    package var snapshot: SubscriptionSnapshot
    /// The one who has it, and those who share it; none where it leads to nobody.
    package var customers: [CustomerID]
    /// Whose links to it wait for a person.
    package var conflicts: [CustomerID]
    /// Of which it is one payment; nil where nobody has asked.
    package var duplicatePayments: [DuplicatePayment]?

    package init(
        snapshot: SubscriptionSnapshot, customers: [CustomerID], conflicts: [CustomerID],
        duplicatePayments: [DuplicatePayment]? = nil
    ) {
        self.snapshot = snapshot
        self.customers = customers
        self.conflicts = conflicts
        self.duplicatePayments = duplicatePayments
    }
}

/// Part of a list of customers, in the order of shards and keys.
package struct CustomerPage: Hashable, Sendable {
    package var listings: [CustomerListing]
    /// The moment for which the states were derived.
    package var asOf: Moment
    /// Where the list goes on; nil at its end. A page may be short, or empty, and not the last.
    package var next: String?

    package init(listings: [CustomerListing], asOf: Moment, next: String?) {
        self.listings = listings
        self.asOf = asOf
        self.next = next
    }
}
