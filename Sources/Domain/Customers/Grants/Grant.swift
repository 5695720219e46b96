package import Entitlements
package import Subscriptions

/// Access that comes from elsewhere than the App Store: a web shop, another store, support.
package struct Grant: Hashable, Sendable {
    package var id: String
    package var entitlement: String
    /// For people.
    package var reason: String
    /// `web`, `play`, `support`, `promotion`, or the publisher's word.
    package var source: String
    package var from: Moment
    /// nil for one without end.
    package var until: Moment?
    /// It is paid again when it ends, elsewhere.
    package var renews: Bool
    package var environment: AppStoreEnvironment
    /// Who has granted it: the name of an API token.
    package var actor: String
    package var revokedAt: Moment?

    package init(
        id: String, entitlement: String, reason: String, source: String, from: Moment, until: Moment?,
        renews: Bool = false, environment: AppStoreEnvironment = .production, actor: String, revokedAt: Moment? = nil
    ) {
        self.id = id
        self.entitlement = entitlement
        self.reason = reason
        self.source = source
        self.from = from
        self.until = until
        self.renews = renews
        self.environment = environment
        self.actor = actor
        self.revokedAt = revokedAt
    }

    /// When it ends: by its date, or where it was taken back before; nil for never.
    package var end: Moment? {
        guard let until, let revokedAt else { return self.until ?? self.revokedAt }
        return min(until, revokedAt)
    }

    package func entitles(at moment: Moment) -> Bool {
        self.from <= moment && self.end.map { moment < $0 } ?? true
    }
}

extension CohortCode {
    /// Granted from elsewhere.
    package static let granted = CohortCode(state: 2, offer: 0)
}
