package import Customers
package import Subscriptions

/// One question of a `check` about a customer.
package struct CustomerQuestion: Hashable, Sendable {
    package var customer: CustomerID
    package var environment: AppStoreEnvironment
    /// A name of the catalog; nil asks whether anything entitles.
    package var entitlement: String?

    package init(_ customer: CustomerID, environment: AppStoreEnvironment = .production, entitlement: String? = nil) {
        self.customer = customer
        self.environment = environment
        self.entitlement = entitlement
    }
}

/// The answer to one question of a `check` about a customer.
package enum CustomerResult: Hashable, Sendable {
    case answer(CustomerAnswer, Standing)
    /// The question cannot be asked.
    case refused(ServiceError.Code)

    package enum Standing: Hashable, Sendable {
        /// Something leads to the customer, or is recorded of it.
        case known
        case unknown
        /// Everything of the customer is another one's.
        case moved(to: CustomerID)
    }
}

/// What a customer is entitled to, at a moment.
package struct CustomerEntitlements: Hashable, Sendable {
    package var customer: CustomerID
    package var environment: AppStoreEnvironment
    /// One for each name of the catalog, in its order.
    package var answers: [CustomerAnswer]
    /// Part of what it rests on is not known yet.
    package var incomplete: Bool
    /// Whose everything of the customer is.
    package var movedTo: CustomerID?
    package var asOf: Moment
    package var stale: Bool
    /// Opaque; for `atLeast`.
    package var token: String

    package init(
        customer: CustomerID, environment: AppStoreEnvironment, answers: [CustomerAnswer], incomplete: Bool,
        movedTo: CustomerID?, asOf: Moment, stale: Bool, token: String
    ) {
        self.customer = customer
        self.environment = environment
        self.answers = answers
        self.incomplete = incomplete
        self.movedTo = movedTo
        self.asOf = asOf
        self.stale = stale
        self.token = token
    }
}

/// What leads to a customer and what that comes to, at a moment.
package struct CustomerView: Hashable, Sendable {
    package struct Stream: Hashable, Sendable {
        package var key: StreamKey
        package var snapshot: SubscriptionSnapshot
        package var because: Resolution.Reason
        /// It has led there without a break since then, by what was recorded; nil where the history was not asked for.
        package var since: Moment?

        package init(key: StreamKey, snapshot: SubscriptionSnapshot, because: Resolution.Reason, since: Moment?) {
            self.key = key
            self.snapshot = snapshot
            self.because = because
            self.since = since
        }
    }

    package var customer: CustomerID
    package var environment: AppStoreEnvironment
    /// One for each name of the catalog, in its order.
    package var entitlements: [CustomerAnswer]
    /// Of every environment, the newest purchase first.
    package var streams: [Stream]
    /// Streams that are another customer's, and to which this one's link was refused.
    package var conflicts: [StreamKey]
    /// What the customer was told that it pays for twice, and still does.
    package var duplicatePayments: [DuplicatePayment]
    /// In the order in which they were made; of those that have ended the latest.
    package var grants: [Grant]
    /// That the customer has registered, in the order of their texts.
    package var identifiers: [RegistrableIdentifier]
    package var attributes: [String: AttributeValue]
    /// The newest first; nil where it was not asked for.
    package var history: [CustomerEvent]?
    /// The customer has a stream of its own.
    package var hasRecord: Bool
    /// Whose everything of the customer is.
    package var movedTo: CustomerID?
    package var asOf: Moment
    /// Opaque; for `atLeast`.
    package var token: String

    package init(
        customer: CustomerID, environment: AppStoreEnvironment, entitlements: [CustomerAnswer], streams: [Stream],
        conflicts: [StreamKey], duplicatePayments: [DuplicatePayment], grants: [Grant],
        identifiers: [RegistrableIdentifier],
        attributes: [String: AttributeValue], history: [CustomerEvent]?, hasRecord: Bool,
        movedTo: CustomerID?, asOf: Moment, token: String
    ) {
        self.customer = customer
        self.environment = environment
        self.entitlements = entitlements
        self.streams = streams
        self.conflicts = conflicts
        self.duplicatePayments = duplicatePayments
        self.grants = grants
        self.identifiers = identifiers
        self.attributes = attributes
        self.history = history
        self.hasRecord = hasRecord
        self.movedTo = movedTo
        self.asOf = asOf
        self.token = token
    }

    /// Something names the customer.
    package var isKnown: Bool {
        self.hasRecord || !self.streams.isEmpty || !self.conflicts.isEmpty || !self.identifiers.isEmpty
    }

    package var answer: CustomerEntitlements {
        CustomerEntitlements(
            customer: self.customer, environment: self.environment, answers: self.entitlements,
            incomplete: self.streams.contains { $0.snapshot.incomplete }, movedTo: self.movedTo, asOf: self.asOf,
            stale: false, token: self.token)
    }
}
