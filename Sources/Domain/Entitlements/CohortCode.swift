package import Subscriptions

/// State and offer as one signed decimal, for cohorts: the `code` of answers, in the numbering of Apple's sample engine
/// of 2020. Positive has access, the rest has not.
package struct CohortCode: Hashable, Sendable, CustomStringConvertible {
    /// −9…5, the state.
    package let state: Int
    /// 0…5, the offer.
    package let offer: Int

    /// Nothing known, or never bought; and every consumable, which counts for nothing.
    package static let nothing = CohortCode(state: 0, offer: 0)

    package init(state: Int, offer: Int) {
        self.state = state
        self.offer = offer
    }

    /// - Parameter tenths: as `tenths` gives them.
    package init(tenths: Int) { self.init(state: tenths / 10, offer: abs(tenths % 10)) }

    package init(_ snapshot: SubscriptionSnapshot) {
        guard !snapshot.isConsumable else {
            self = .nothing
            return
        }
        self.state = Self.state(of: snapshot)
        self.offer = Self.offer(of: snapshot.offer)
    }

    package var description: String { "\(self.state).\(self.offer)" }

    /// The code as one whole number: tenths, as many as the digits say.
    package var tenths: Int { self.state * 10 + (self.state < 0 ? -self.offer : self.offer) }

    private static func state(of snapshot: SubscriptionSnapshot) -> Int {
        switch snapshot.state {
        case .subscribed: snapshot.renews ? 5 : 4
        case .owned: snapshot.entitled ? 3 : -5
        case .grace: 1
        case .retry: -1
        case .expired: snapshot.isUpgraded ? -6 : Self.expired(snapshot.expirationIntent)
        case .revoked: snapshot.isUpgraded ? -6 : Self.revoked(snapshot)
        }
    }

    private static func expired(_ intent: ExpirationIntent?) -> Int {
        switch intent {
        case .billingError?: -2
        case .priceIncreaseNotAccepted?: -3
        case .productNotForSale?: -4
        default: -5
        }
    }

    private static func revoked(_ snapshot: SubscriptionSnapshot) -> Int {
        switch snapshot.revocation?.type {
        case "FAMILY_REVOKE"?, "ASSIGNMENT_REVOKE"?: return -9
        case nil where snapshot.ownership == "FAMILY_SHARED": return -9
        default: return snapshot.revocation?.reason == .appIssue ? -7 : -8
        }
    }

    private static func offer(of offer: SubscriptionSnapshot.Offer?) -> Int {
        switch offer?.type {
        case .introductory?: offer?.discount == "FREE_TRIAL" ? 1 : 2
        case .promotional?: 3
        case .offerCode?: 4
        case .winBack?: 5
        default: 0
        }
    }
}

extension SubscriptionSnapshot {
    /// Auto-renew is on, or not known to be off; the months of a commitment that runs renew in any case.
    fileprivate var renews: Bool {
        if let commitmentEnd = self.commitment?.expiresDate, let end = self.expiresDate, end < commitmentEnd {
            return true
        }
        return self.autoRenew ?? true
    }
}
