/// What arrived together about one stream: a notification with its nested payloads, an item of a statuses or history
/// answer, or what a backend posted.
package struct FactBundle: Hashable, Sendable {
    package var facts: Facts
    package var source: EventSource
    /// Two bundles with the same key are the same delivery: the notificationUUID's 16 bytes, else a hash of the payload
    /// without its signedDate.
    package var dedupKey: [UInt8]
    /// Of everything signed in the bundle. The same `dedupKey` with another one is merged too, with an `anomaly`.
    package var contentDigest: PayloadDigest
    /// The envelope's, or the newest of the facts'.
    package var signedDate: Moment
    package var notification: NotificationIdentity?
    package var record: NotificationRecord?
    /// Whose the stream is said to be.
    package var link: LinkRequest?
    /// What is asked of a customer's stream.
    package var customer: CustomerRequest?
    /// What is asked of an identifier's stream.
    package var registration: RegistrationRequest?
    /// Asks whether changed rules have changed the answer: by what whoever asks answers.
    package var reevaluation: RulesMark?
    /// The stream that names this one as its predecessor, at the place of the payload that does.
    package var successor: Placed<OriginalTransactionID>?
    /// What has to be looked at after a change of the stream. It is read from the inbox, and changes nothing by itself.
    package var review: CustomerReview?
    /// Identifiers to erase from the stream.
    package var erasure: ErasureRequest?

    package init(
        facts: Facts = Facts(), source: EventSource, dedupKey: [UInt8], contentDigest: PayloadDigest,
        signedDate: Moment, notification: NotificationIdentity? = nil, record: NotificationRecord? = nil,
        link: LinkRequest? = nil, customer: CustomerRequest? = nil
    ) {
        self.facts = facts
        self.source = source
        self.dedupKey = dedupKey
        self.contentDigest = contentDigest
        self.signedDate = signedDate
        self.notification = notification
        self.record = record
        self.link = link
        self.customer = customer
    }
}

/// The signed facts and observations of a bundle or an event.
package struct Facts: Hashable, Sendable {
    package var transactions: [TransactionInfo]
    package var renewal: RenewalInfo?
    package var status: StatusObservation?

    package init(
        transactions: [TransactionInfo] = [], renewal: RenewalInfo? = nil, status: StatusObservation? = nil
    ) {
        self.transactions = transactions
        self.renewal = renewal
        self.status = status
    }

    package var isEmpty: Bool { self.transactions.isEmpty && self.renewal == nil && self.status == nil }
}

/// Where a bundle came from.
package enum EventSource: String, Sendable, CaseIterable {
    case notification, statuses, history, client, timer
    /// Somebody at the publisher's: a link, a grant, an attribute.
    case person
    /// Nobody: rules, catalog or logic have changed.
    case rules
}

/// Which notification a bundle was.
package struct NotificationIdentity: Hashable, Sendable {
    /// Apple's `notificationUUID`, as it was written.
    package var uuid: String
    /// Apple's `notificationType`, unknown ones too.
    package var type: String
    package var subtype: String?
    /// Apple's `consumptionRequestReason`, on CONSUMPTION_REQUEST only.
    package var consumptionRequestReason: String?

    package init(uuid: String, type: String, subtype: String? = nil, consumptionRequestReason: String? = nil) {
        self.uuid = uuid
        self.type = type
        self.subtype = subtype
        self.consumptionRequestReason = consumptionRequestReason
    }
}

/// The part of a notification that is recorded beside subscriptions.
package enum NotificationRecord: Hashable, Sendable {
    case massExtension(MassExtensionSummary)
    case externalPurchase(ExternalPurchaseToken)
    case consentRescinded(ConsentRescinded)
    case test

    /// Apple's `summary`.
    package struct MassExtensionSummary: Hashable, Sendable {
        package var requestIdentifier: String
        package var productID: String?
        package var storefrontCountryCodes: [String]?
        package var succeededCount: Int64?
        package var failedCount: Int64?

        package init(requestIdentifier: String) { self.requestIdentifier = requestIdentifier }
    }

    /// Apple's `externalPurchaseToken`.
    package struct ExternalPurchaseToken: Hashable, Sendable {
        package var externalPurchaseID: String
        package var tokenCreationDate: Moment?
        package var tokenType: String?
        package var tokenExpirationDate: Moment?

        package init(externalPurchaseID: String) { self.externalPurchaseID = externalPurchaseID }
    }

    /// Apple's `appData` of RESCIND_CONSENT, from its signedAppTransactionInfo.
    package struct ConsentRescinded: Hashable, Sendable {
        package var appTransactionID: String
        package var originalPurchaseDate: Moment?
        package var originalApplicationVersion: String?
        package var originalPlatform: String?

        package init(appTransactionID: String) { self.appTransactionID = appTransactionID }
    }
}
