package import Entitlements
package import Subscriptions

/// The answer for one customer and one entitlement, or for anything that the customer has.
package struct CustomerAnswer: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case stream(LifecycleState)
        case granted

        /// As answers spell it.
        package var name: String {
            switch self {
            case .stream(let state): state.rawValue
            case .granted: "granted"
            }
        }
    }

    package var entitled: Bool
    /// The name asked about; where none was, the one of the highest rank that the best of what entitles grants.
    package var entitlement: String?
    /// nil when nothing is known.
    package var state: State?
    package var code: CohortCode
    /// When the customer stops having this name unless more is heard; nil when not entitled, and where there is no end.
    package var validUntil: Moment?
    package var productID: String?
    package var rank: Int?
    /// Of what entitles.
    package var environment: AppStoreEnvironment?
    /// The stream or the grant that gives the name, or gave it last.
    package var by: EntitlementGiver?
    package var ownership: String?
    /// Part of what the answer rests on is not known yet.
    package var incomplete: Bool

    package init(
        entitled: Bool, entitlement: String?, state: State? = nil, code: CohortCode, validUntil: Moment? = nil,
        productID: String? = nil, rank: Int? = nil, environment: AppStoreEnvironment? = nil,
        by: EntitlementGiver? = nil, ownership: String? = nil, incomplete: Bool
    ) {
        self.entitled = entitled
        self.entitlement = entitlement
        self.state = state
        self.code = code
        self.validUntil = validUntil
        self.productID = productID
        self.rank = rank
        self.environment = environment
        self.by = by
        self.ownership = ownership
        self.incomplete = incomplete
    }

    /// Of a customer that has nothing of the name.
    package static func nothing(of entitlement: String?, incomplete: Bool = false) -> CustomerAnswer {
        CustomerAnswer(entitled: false, entitlement: entitlement, code: .nothing, incomplete: incomplete)
    }
}
