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
    package var actor: String?
    package var revokedAt: Moment?
    /// `IdentifierHash.half` of the id under which it was made; nil where that is the customer's own.
    package var origin: UInt64?

    /// The longest that a text may be, in bytes of UTF-8.
    package static let longestID = 64
    package static let longestReason = 100
    package static let longestSource = 32

    package init(
        id: String, entitlement: String, reason: String, source: String, from: Moment, until: Moment?,
        renews: Bool = false, environment: AppStoreEnvironment = .production, actor: String? = nil,
        revokedAt: Moment? = nil, origin: UInt64? = nil
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
        self.origin = origin
    }

    package var key: GrantKey { GrantKey(self.id, under: self.origin) }

    /// When it ends: by its date, or where it was taken back before; nil for never.
    package var end: Moment? {
        guard let until, let revokedAt else { return self.until ?? self.revokedAt }
        return min(until, revokedAt)
    }

    /// It has not ended, and may not have begun.
    package func isLive(at moment: Moment) -> Bool { self.end.map { moment < $0 } ?? true }

    package func entitles(at moment: Moment) -> Bool {
        self.from <= moment && self.isLive(at: moment)
    }

    /// How much of a customer's bound it takes, in bytes: never less than it takes in a row.
    package var size: Int {
        [self.id, self.entitlement, self.reason, self.source, self.environment.rawValue, self.actor ?? ""]
            .reduce(self.origin == nil ? 56 : 65) { $0 + $1.utf8.count }
    }
}

/// Names one grant of a customer: its id, and the id under which it was made. Who was moved here may have used the same ids.
package struct GrantKey: Hashable, Sendable {
    package var id: String
    /// As `Grant.origin`.
    package var origin: UInt64?

    package init(_ id: String, under origin: UInt64? = nil) {
        self.id = id
        self.origin = origin
    }
}
