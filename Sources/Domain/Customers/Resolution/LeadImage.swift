package import Subscriptions

/// What of a stream leads to a customer, with hashes in place of identifiers: all of the stream that resolution needs.
package struct LeadImage: Hashable, Sendable {
    package enum Token: Hashable, Sendable {
        /// No payload carries one.
        case absent
        /// The token is no UUID or was erased; or no token is carried, and the Apple Account was erased.
        case unusable
        /// - Parameter asCustomer: the customer whose id it would be.
        case carried(IdentifierHash, asCustomer: IdentifierHash)
    }

    package struct Link: Hashable, Sendable {
        /// nil for a link to nobody.
        package var customer: IdentifierHash?
        /// Apple has named another token since, at a greater place.
        package var isOverruled: Bool

        package init(customer: IdentifierHash?, isOverruled: Bool) {
            self.customer = customer
            self.isOverruled = isOverruled
        }
    }

    package var link: Link?
    package var token: Token
    package var appTransaction: IdentifierHash?
    package var predecessor: OriginalTransactionID?
    package var sharers: [IdentifierHash]

    package init(
        link: Link? = nil, token: Token = .absent, appTransaction: IdentifierHash? = nil,
        predecessor: OriginalTransactionID? = nil, sharers: [IdentifierHash] = []
    ) {
        self.link = link
        self.token = token
        self.appTransaction = appTransaction
        self.predecessor = predecessor
        self.sharers = sharers
    }

    /// Those to whom it may lead by itself, whoever has registered a token.
    package var customers: [IdentifierHash] {
        var customers = self.sharers
        if let customer = self.link?.customer { customers.append(customer) }
        if case .carried(_, let customer) = self.token { customers.append(customer) }
        return customers
    }

    /// Those whose registration counts for it.
    package var identifiers: [(IdentifierHash.Kind, IdentifierHash)] {
        switch self.token {
        case .carried(let token, _): [(.appAccountToken, token)]
        // A token that leads nowhere was carried all the same.
        case .unusable: []
        case .absent: self.appTransaction.map { [(.appTransaction, $0)] } ?? []
        }
    }

    /// - Parameter hash: by the store's key.
    package init(_ leads: StreamLeads, hash: (IdentifierHash.Kind, String) -> IdentifierHash) {
        self.init(
            link: leads.link.map { link in
                Link(
                    customer: link.customer.map { hash(.customer, $0.rawValue) },
                    isOverruled: link.isOverruled(by: leads.token))
            },
            token: leads.token.map { token in
                token.value.map {
                    .carried(hash(.appAccountToken, $0.rawValue), asCustomer: hash(.customer, $0.rawValue))
                } ?? .unusable
            } ?? (leads.appTransactionID != nil && leads.account == nil ? .unusable : .absent),
            appTransaction: leads.account.map { hash(.appTransaction, $0) },
            predecessor: leads.predecessor?.value,
            sharers: leads.sharers.map { hash(.customer, $0.rawValue) })
    }
}
