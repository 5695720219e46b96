/// One entry of a stream: facts, not a decision. The same type serves subscriptions, purchases, records,
/// customers and identifiers.
package struct SubscriptionEvent: Hashable, Sendable {
    package var facts: Facts
    package var source: EventSource
    /// Never empty; the most important first, which is the event's `kind`.
    package var changes: [Change]
    /// When Apple signed what the event holds; nil for timers.
    package var signedDate: Moment?
    /// When an announced transition took effect: a timer's due moment.
    package var effectiveAt: Moment?
    package var notification: NotificationIdentity?
    package var record: NotificationRecord?
    /// What it says of the stream's links.
    package var link: LinkRecord?
    /// Of a `linked` event without policies, which earlier versions wrote in place of `link`.
    package var customerID: String?
    /// What it says of a customer; of events of customers' streams only.
    package var customer: CustomerRecord?
    /// What it says of an identifier; of events of identifiers' own streams only.
    package var registration: Registration?
    /// What changed rules have changed; of `reevaluated` events only.
    package var reevaluation: Reevaluation?
    /// The stream that goes on in place of this one; of `superseded` events only.
    package var successor: Placed<OriginalTransactionID>?
    /// For people: what an `anomaly` found.
    package var detail: String?
    /// See `FactBundle.contentDigest`; nil for timers.
    package var contentDigest: PayloadDigest?

    package init(
        facts: Facts = Facts(), source: EventSource, changes: [Change], signedDate: Moment? = nil,
        effectiveAt: Moment? = nil, notification: NotificationIdentity? = nil, record: NotificationRecord? = nil,
        link: LinkRecord? = nil, customerID: String? = nil, customer: CustomerRecord? = nil,
        registration: Registration? = nil, reevaluation: Reevaluation? = nil,
        successor: Placed<OriginalTransactionID>? = nil, detail: String? = nil,
        contentDigest: PayloadDigest? = nil
    ) {
        self.facts = facts
        self.source = source
        self.changes = changes
        self.signedDate = signedDate
        self.effectiveAt = effectiveAt
        self.notification = notification
        self.record = record
        self.link = link
        self.customerID = customerID
        self.customer = customer
        self.registration = registration
        self.reevaluation = reevaluation
        self.successor = successor
        self.detail = detail
        self.contentDigest = contentDigest
    }

    package var kind: Change { self.changes[0] }

    /// The customer whom a link, a customer's record or a registration names.
    package var namedCustomer: CustomerID? {
        self.link?.customer ?? self.customer?.customer ?? self.registration?.customer
    }

    /// The name of the API token that asked for one of these.
    package var actor: String? { self.link?.actor ?? self.customer?.actor ?? self.registration?.actor }
}
