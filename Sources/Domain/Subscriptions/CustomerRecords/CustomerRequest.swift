/// Somebody at the publisher's asks to change what a customer's own stream keeps.
package struct CustomerRequest: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// To make the grant. One that has the id already and says the same fulfils the request.
        /// - Parameters:
        ///   - startsNow: in place of its `from`.
        ///   - replaces: the grant takes the place of one that has its id.
        case grant(Grant, startsNow: Bool, replaces: Bool)
        /// To take the grant of this id back.
        case revoke(grant: String)
        /// To restore a grant to `to`, if it still equals `from`. Without `to` it is revoked.
        case restore(from: Grant, to: Grant?)
        /// To set attributes; nil removes one.
        case set([String: AttributeValue?])
        /// To let this other customer, whose stream is at this version, move here.
        /// - Parameter origin: `IdentifierHash.half` of its id.
        case take(CustomerID, at: Int64, Room, origin: UInt64)
        /// To let it do so no more, unless it was let again at this version of its stream or later.
        case drop(CustomerID, before: Int64)
        /// To note that it has moved here, with these, by its stream at this version.
        case settle(CustomerID, Belongings, at: Int64)
        /// To be this other customer from now on, if the stream is still at this version.
        case move(to: CustomerID, at: Int64)
        /// To stop a move that is under way, or one that is being taken back.
        case stay
        case giveBack(GiveBack)
        /// To leave these grants to the customer to whom it has moved, if the stream is still at this version.
        case leave(grants: [GrantKey], at: Int64)
        /// To be itself again and not this other customer, if the stream is still at this version.
        case comeBack(from: CustomerID, at: Int64)
        case tell(CustomerTelling)
    }

    package var customer: CustomerID
    package var content: Content
    /// Of a request under another id, which has been moved to the customer: `IdentifierHash.half` of that id, and of those that had
    /// moved to it.
    package var origins: [UInt64]
    /// The name of the API token that asks.
    package var actor: String?
    /// For people; of a move.
    package var reason: String?

    package init(_ customer: CustomerID, _ content: Content, actor: String? = nil, reason: String? = nil) {
        self.customer = customer
        self.content = content
        self.origins = []
        self.actor = actor
        self.reason = reason
    }
}

/// What a customer has to be told. The caller has read everything that leads to the customer.
package struct CustomerTelling: Hashable, Sendable {
    package var changes: [EntitlementChange]
    /// Of the customer's stream when it was read. The owner refuses the request at any other version; the caller then reads again.
    package var version: Int64
    /// When the stream was to be looked at again, when it was read. The owner refuses the request at any other.
    package var due: Moment?
    /// When the answers change next by time alone.
    package var next: Moment?
    /// It has the names of `changes` since before customers were told.
    package var isBaseline: Bool
    /// What it pays for twice and was not told.
    package var duplicatePayments: [DuplicatePayment]
    /// What it was told, and does no more.
    package var closedDuplicatePayments: [DuplicatePayment]

    /// So many changes are told at a time.
    package static let limit = 64

    package var isEmpty: Bool {
        self.changes.isEmpty && self.duplicatePayments.isEmpty && self.closedDuplicatePayments.isEmpty
    }

    package init(
        _ changes: [EntitlementChange], at version: Int64, due: Moment?, next: Moment?, isBaseline: Bool = false,
        duplicatePayments: [DuplicatePayment] = [], closedDuplicatePayments: [DuplicatePayment] = []
    ) {
        self.changes = changes
        self.version = version
        self.due = due
        self.next = next
        self.isBaseline = isBaseline
        self.duplicatePayments = duplicatePayments
        self.closedDuplicatePayments = closedDuplicatePayments
    }
}
