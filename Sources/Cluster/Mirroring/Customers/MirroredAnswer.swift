import Customers
package import Subscriptions

/// The answer for a customer and a name at a moment, as a mirror gives it.
package struct MirroredAnswer: Hashable, Sendable {
    /// In the words of the HTTP API.
    package enum State: String, CaseIterable, Sendable {
        case subscribed, grace, retry, expired, revoked, owned
        /// Given by a grant.
        case granted

        init?(_ state: CustomerAnswer.State) { self.init(rawValue: state.name) }
    }

    package var entitled: Bool
    /// The name asked about; where none was, the one of the highest rank that the best of what entitles grants.
    package var entitlement: String?
    package var state: State?
    package var productID: String?
    package var validUntil: Moment?
    package var rank: Int?
    /// Of what entitles.
    package var environment: AppStoreEnvironment?
    /// Part of what it rests on is not known yet.
    package var isIncomplete: Bool
    /// Everything of the customer is another customer's.
    package var isMoved: Bool
    /// What it rests on has not been heard of for longer than answers may be old.
    package var isStale: Bool

    package init(
        entitled: Bool, entitlement: String?, state: State?, productID: String?, validUntil: Moment?, rank: Int?,
        environment: AppStoreEnvironment?, isIncomplete: Bool, isMoved: Bool, isStale: Bool
    ) {
        self.entitled = entitled
        self.entitlement = entitlement
        self.state = state
        self.productID = productID
        self.validUntil = validUntil
        self.rank = rank
        self.environment = environment
        self.isIncomplete = isIncomplete
        self.isMoved = isMoved
        self.isStale = isStale
    }
}
