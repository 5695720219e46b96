package import Subscriptions

/// What really is true of one simulated subscription or purchase: recorded by the customer who lives it, as intervals,
/// and never derived from what was sent. It shares no rule with `Subscriptions`.
package struct Truth: Hashable, Sendable {
    package let originalTransactionID: String
    private var standings = Timeline<Standing>()
    private var autoRenew = Timeline<Bool>()

    /// An interval's value.
    package struct Standing: Hashable, Sendable {
        package var state: LifecycleState
        package var productID: String
        package var transactionID: String
        /// End of the paid period; nil for a one-time purchase.
        package var expiresDate: Moment?
        /// End of the running grace period.
        package var gracePeriodExpiresDate: Moment?
    }

    init(originalTransactionID: String) { self.originalTransactionID = originalTransactionID }

    mutating func set(_ standing: Standing, from moment: Moment) { self.standings.set(standing, from: moment) }

    mutating func set(autoRenew: Bool, from moment: Moment) { self.autoRenew.set(autoRenew, from: moment) }

    /// nil before the first purchase.
    package func standing(at moment: Moment) -> Standing? { self.standings[moment] }

    /// nil for a one-time purchase, and before the first.
    package func autoRenew(at moment: Moment) -> Bool? { self.autoRenew[moment] }

    /// Every moment at which the state changed or, if nothing more happens, will change.
    package var changes: [(from: Moment, value: Standing)] { self.standings.changes }

    /// Apple's `status` number; nil before the first purchase and for one-time purchases.
    package func status(at moment: Moment) -> Int? {
        switch self.standing(at: moment)?.state {
        case .subscribed: 1
        case .expired: 2
        case .retry: 3
        case .grace: 4
        case .revoked: self.autoRenew(at: moment) == nil ? nil : 5
        case .owned, nil: nil
        }
    }
}
