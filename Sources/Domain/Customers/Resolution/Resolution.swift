package import Subscriptions

/// Whether a token leads to the customer whose id it is (`customers.tokens`).
package enum TokenPolicy: String, Hashable, Sendable, CaseIterable {
    /// To the customer that registered it, else to the one whose id it is.
    case id
    /// Only to the customer that registered it.
    case registered
}

/// What identifiers lead to. Each row is one version of one stream, read at any time: resolution goes forward from a stream, so
/// whatever versions are read together, a stream has one holder at most.
package protocol IdentifierRows {
    /// The customer that registered the token; nil when none has.
    func holder(ofToken token: IdentifierHash) -> IdentifierHash?
    /// The customer that registered the app transaction first.
    func holder(ofAppTransaction id: IdentifierHash) -> IdentifierHash?
    /// Where everything of a customer goes; nil when it has not been moved.
    func successor(of customer: IdentifierHash) -> IdentifierHash?
    /// What leads from the stream of this id, of the same environment and bundle; nil when there is no such stream.
    func leads(of predecessor: OriginalTransactionID) -> LeadImage?
}

/// To whom a stream leads.
package struct Resolution: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case link, token, appTransactionID
    }

    /// The one customer that has the stream.
    package struct Holder: Hashable, Sendable {
        package var customer: IdentifierHash
        package var reason: Reason
        /// The reason is one of the stream that this one replaces.
        package var isInherited = false
    }

    /// nil where the stream leads nowhere, or is linked to nobody.
    package let holder: Holder?
    /// Customers that share it, without the holder.
    package let sharers: [IdentifierHash]
    /// A link to nobody holds.
    package let isLinkedToNobody: Bool

    /// So many are followed.
    package static let predecessorLimit = 8
    /// No chain of moves is longer: nobody is more customers than these.
    package static let moveLimit = CustomerState.nameLimit

    package init(_ leads: LeadImage, in rows: some IdentifierRows, tokens: TokenPolicy) {
        let (found, linked) = Self.find(leads, in: rows, tokens: tokens)
        var holder: Holder?
        var isLinkedToNobody = false
        switch found {
        case .nowhere: break
        case .nobody: isLinkedToNobody = true
        case .holder(var found):
            found.customer = Self.end(of: found.customer, in: rows)
            holder = found
        }
        self.holder = holder
        self.isLinkedToNobody = isLinkedToNobody
        self.sharers = linked.reduce(into: []) { sharers, customer in
            let end = Self.end(of: customer, in: rows)
            if end != holder?.customer, !sharers.contains(end) { sharers.append(end) }
        }
    }

    /// Why the stream is this customer's; nil when it is not.
    package func reason(of customer: IdentifierHash) -> Reason? {
        if let holder, holder.customer == customer { return holder.reason }
        return self.sharers.contains(customer) ? .link : nil
    }

    package var customers: [IdentifierHash] { [self.holder?.customer].compactMap(\.self) + self.sharers }

    private enum Found {
        case nowhere, nobody
        case holder(Holder)
    }

    /// - Returns: also those who share the stream, or else a predecessor that counts for it.
    private static func find(
        _ leads: LeadImage, in rows: some IdentifierRows, tokens: TokenPolicy
    ) -> (Found, sharers: [IdentifierHash]) {
        var leads = leads
        var sharers: [IdentifierHash] = []
        for generation in 0...Self.predecessorLimit {
            if sharers.isEmpty { sharers = leads.sharers }
            if let found = Self.own(leads, in: rows, tokens: tokens, isInherited: generation > 0) {
                return (found, sharers)
            }
            guard let predecessor = leads.predecessor, let next = rows.leads(of: predecessor) else { break }
            leads = next
        }
        return (.nowhere, sharers)
    }

    /// What the stream itself says; nil where only its predecessor can tell.
    private static func own(
        _ leads: LeadImage, in rows: some IdentifierRows, tokens: TokenPolicy, isInherited: Bool
    ) -> Found? {
        func holder(_ customer: IdentifierHash, _ reason: Reason) -> Found {
            .holder(Holder(customer: customer, reason: reason, isInherited: isInherited))
        }
        var byToken: IdentifierHash?
        if case .carried(let token, let asCustomer) = leads.token {
            byToken = rows.holder(ofToken: token) ?? (tokens == .id ? asCustomer : nil)
        }
        // A token that leads nowhere overrules no link.
        if let link = leads.link, !link.isOverruled || byToken == nil {
            return link.customer.map { holder($0, .link) } ?? .nobody
        }
        if let byToken { return holder(byToken, .token) }
        guard leads.token == .absent else { return .nowhere }
        if let id = leads.appTransaction, let customer = rows.holder(ofAppTransaction: id) {
            return holder(customer, .appTransactionID)
        }
        return nil
    }

    package static func end(of customer: IdentifierHash, in rows: some IdentifierRows) -> IdentifierHash {
        var end = customer
        for _ in 0..<Self.moveLimit {
            guard let next = rows.successor(of: end) else { return end }
            end = next
        }
        return end
    }
}
