/// What leads from a stream to a customer: what its payloads carry, each a maximum, and what people have said, in its order.
package struct StreamLeads: Hashable, Sendable {
    /// Of the payload at the greatest place among all that carry one. Its value is nil where that payload's token is no UUID,
    /// or was erased: such a token is carried and leads nowhere.
    package var token: Placed<AccountToken?>?
    /// Apple's `appTransactionId`: an Apple Account.
    package var appTransactionID: Placed<String>?
    /// Apple's `previousOriginalTransactionId`.
    package var predecessor: Placed<OriginalTransactionID>?
    package var link: CustomerLink?
    /// In the order in which they came: at most `sharerLimit`.
    package var sharers: [CustomerID]
    /// Whose links the policy has refused, while nobody has decided: the newest `conflictLimit`.
    package var conflicts: [CustomerID]

    package static let sharerLimit = 10
    package static let conflictLimit = 4

    package init() {
        self.sharers = []
        self.conflicts = []
    }

    /// Of these payloads alone.
    package init(_ transactions: [TransactionInfo]) {
        self.init()
        self.merge(transactions)
    }

    /// Every customer that a link names.
    package var linkedCustomers: [CustomerID] { [self.link?.customer].compactMap(\.self) + self.sharers }

    // MARK: Payloads

    mutating func merge(_ transactions: [TransactionInfo]) {
        for transaction in transactions {
            let place = FactPlace(transaction)
            if let text = transaction.appAccountToken { self.token.raise(to: Placed(AccountToken(text), at: place)) }
            if let id = transaction.appTransactionID { self.appTransactionID.raise(to: Placed(id, at: place)) }
            if let id = transaction.previousOriginalTransactionID {
                self.predecessor.raise(to: Placed(id, at: place))
            }
        }
    }

    // MARK: People

    package mutating func apply(_ record: LinkRecord) {
        if let customer = record.customer, record.action != .conflicted {
            self.conflicts.removeAll { $0 == customer }
        }
        switch record.action {
        case .linked:
            self.link = CustomerLink(
                customer: record.customer, token: record.token, place: record.place ?? .lowest)
            self.sharers = []
        case .unlinked: self.link = nil
        case .shared:
            guard let customer = record.customer, !self.sharers.contains(customer) else { return }
            self.sharers.append(customer)
        case .unshared: self.sharers.removeAll { $0 == record.customer }
        case .conflicted:
            guard let customer = record.customer, !self.conflicts.contains(customer) else { return }
            self.conflicts.append(customer)
            if self.conflicts.count > Self.conflictLimit { self.conflicts.removeFirst() }
        case .dismissed: break
        }
    }

    /// The `linked` event of a version without policies: the first customer holds, and each that followed is a conflict.
    mutating func applyUnjudgedLink(to customer: CustomerID, _ newest: FactPlace) {
        guard let link = self.link else {
            self.link = CustomerLink(
                customer: customer, token: self.token?.value ?? nil, place: self.token?.place ?? newest)
            return
        }
        if link.customer != customer { self.apply(LinkRecord(.conflicted, customer)) }
    }
}
