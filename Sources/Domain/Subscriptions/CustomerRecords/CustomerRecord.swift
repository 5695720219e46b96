/// What an event of a customer's own stream says.
package struct CustomerRecord: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The customer has this grant, in place of one of the same id.
        case granted(Grant)
        /// The grant is taken back.
        case revoked(grant: GrantKey, at: Moment)
        /// New values by name; nil where the attribute is removed.
        case attributes([String: AttributeValue?])
        /// This other customer may move here for as long as its stream stays at this version; it takes this room.
        case takes(CustomerID?, at: Int64, Room)
        /// It has not, and does not any more.
        case drops(CustomerID?)
        /// It has moved here, with these.
        case taken(CustomerID?, Belongings)
        /// Everything of the customer, now and in future, is this other one's.
        case moved(to: CustomerID?)
        /// This other customer, whose stream is at this version, takes its move here back: this stays free for it until it has.
        case givesBack(CustomerID?, at: Int64, Room, ReturnedBelongings)
        /// These grants, which a customer who has moved brought along, are that other one's alone: they do not come back.
        case left(grants: [GrantKey])
        /// The move to this other customer is taken back.
        case returned(from: CustomerID?)
        /// Whoever was about to move the customer has to begin anew: its stream has another version now.
        case stays
        /// The customer was told this: the answer about a name has become another one.
        case told(EntitlementChange)
        /// The customer pays twice.
        case duplicatePayment(DuplicatePayment)
        /// One of the two payments has ended, or counts no more.
        case duplicatePaymentClosed(DuplicatePayment)
    }

    /// nil once it has been erased.
    package var customer: CustomerID?
    /// The other customers that `content` names are nil as well then.
    package var content: Content
    /// Who has asked: the name of an API token.
    package var actor: String?
    /// For people; of a move.
    package var reason: String?

    package init(_ customer: CustomerID?, _ content: Content, actor: String? = nil, reason: String? = nil) {
        self.customer = customer
        self.content = content
        self.actor = actor
        self.reason = reason
    }
}
