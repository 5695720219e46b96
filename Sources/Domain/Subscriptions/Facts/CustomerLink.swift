/// Why a stream is a customer's: somebody who may say so has said so, and the policy has let it in.
package struct CustomerLink: Hashable, Sendable {
    /// nil for a link to nobody, which holds like any other.
    package var customer: CustomerID?
    /// The token that the link overrules, at its place: what the stream carried when the link was made. Without a token the
    /// place is that of the newest payload.
    package var token: AccountToken?
    package var place: FactPlace

    package init(customer: CustomerID?, token: AccountToken?, place: FactPlace) {
        self.customer = customer
        self.token = token
        self.place = place
    }

    /// Whether Apple has named somebody else since: another token at a greater place. Judged from what is kept and never
    /// recorded, so the link holds again where its token returns.
    package func isOverruled(by token: Placed<AccountToken?>?) -> Bool {
        guard let token, let value = token.value else { return false }
        return value != self.token && self.place < token.place
    }
}

/// What an event says of a stream's links. A stream's events have one order, and so have its links.
package struct LinkRecord: Hashable, Sendable {
    package enum Action: Int, Sendable, CaseIterable {
        /// The stream has this link in place of the one before; where it names somebody, nobody shares the stream any more.
        case linked = 1
        /// The customer shares the stream; its link overrules nothing.
        case shared = 2
        /// The stream has no link any more.
        case unlinked = 3
        /// The customer shares the stream no more.
        case unshared = 4
        /// A link that the policy has refused waits for a person.
        case conflicted = 5
        /// That conflict is closed.
        case dismissed = 6
    }

    package var action: Action
    /// nil for a link to nobody, and of a deleted customer.
    package var customer: CustomerID?
    /// As in `CustomerLink`; of `linked` only.
    package var token: AccountToken?
    package var place: FactPlace?
    /// Who has asked: the name of an API token.
    package var actor: String?
    /// Why, for people.
    package var reason: String?
    /// It named a customer who has been deleted.
    package var isErased: Bool

    package init(
        _ action: Action, _ customer: CustomerID?, token: AccountToken? = nil, place: FactPlace? = nil,
        actor: String? = nil, reason: String? = nil, isErased: Bool = false
    ) {
        self.action = action
        self.customer = customer
        self.token = token
        self.place = place
        self.actor = actor
        self.reason = reason
        self.isErased = isErased
    }

    /// Whether this is an erased `linked` event of a version without policies: it has no place.
    package var isUnjudged: Bool { self.action == .linked && self.isErased && self.place == nil }
}
