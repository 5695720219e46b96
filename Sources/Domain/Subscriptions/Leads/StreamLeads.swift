/// What leads from a stream to a customer: what its payloads carry, each a maximum, and what people have said, in its order.
package struct StreamLeads: Hashable, Sendable {
    /// Of the payload at the greatest place among all that carry one. Its value is nil where that payload's token is no UUID,
    /// or was erased: such a token is carried and leads nowhere.
    package var token: Placed<AccountToken?>?
    /// Apple's `appTransactionId`: an Apple Account.
    package var appTransactionID: Placed<String>?
    /// Apple's `previousOriginalTransactionId`.
    package var predecessor: Placed<OriginalTransactionID>?
    /// The streams whose payloads name this one as their predecessor, each with the place of the first that was heard of: it goes on
    /// there. At most `successorLimit`, since one bundle may go on as several subscriptions.
    package var successors: [Placed<OriginalTransactionID>]
    package var link: CustomerLink?
    /// In the order in which they came: at most `sharerLimit`.
    package var sharers: [CustomerID]
    /// Whose links the policy has refused, while nobody has decided: the first `conflictLimit`.
    package var conflicts: [CustomerID]

    package static let sharerLimit = 10
    package static let conflictLimit = 4
    package static let successorLimit = 8

    package init() {
        self.successors = []
        self.sharers = []
        self.conflicts = []
    }

    /// Of these payloads alone.
    package init(_ transactions: [TransactionInfo]) {
        self.init()
        self.merge(transactions)
    }

    /// The Apple Account that the stream carries; nil where it was erased.
    package var account: String? {
        self.appTransactionID.flatMap { $0.value == ErasedIdentifiers.mark ? nil : $0.value }
    }

    /// Every customer that a link names.
    package var linkedCustomers: [CustomerID] {
        guard let customer = self.link?.customer else { return self.sharers }
        return [customer] + self.sharers
    }

    /// Those of them whose link holds by what the stream itself says.
    package var holdingCustomers: [CustomerID] {
        self.link.map { $0.isOverruled(by: self.token) } ?? false ? self.sharers : self.linkedCustomers
    }

    // MARK: Payloads

    /// The newest are looked at first: what older ones carry seldom counts.
    mutating func merge(_ transactions: [TransactionInfo]) {
        for transaction in transactions.reversed() {
            let place = FactPlace(transaction)
            // What is too long to be kept in a state leads nowhere.
            if let text = transaction.appAccountToken, text.utf8.count <= TransactionInfo.longestToken,
                self.token.isBelow(place)
            {
                self.token = Placed(AccountToken(text), at: place)
            }
            if let id = transaction.appTransactionID, id.utf8.count <= TransactionInfo.longestAppTransactionID,
                self.appTransactionID.isBelow(place)
            {
                self.appTransactionID = Placed(id, at: place)
            }
            if let id = transaction.previousOriginalTransactionID,
                id.rawValue.utf8.count <= TransactionInfo.longestPredecessor, self.predecessor.isBelow(place)
            {
                self.predecessor = Placed(id, at: place)
            }
        }
    }

    /// - Returns: whether that was news.
    package mutating func merge(_ successor: Placed<OriginalTransactionID>) -> Bool {
        guard self.successors.count < Self.successorLimit,
            !self.successors.contains(where: { $0.value == successor.value })
        else { return false }
        self.successors.append(successor)
        return true
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
            // Who shares the stream keeps it where it is taken from somebody else only.
            if record.customer == nil, !record.isErased { self.conflicts = [] } else { self.sharers = [] }
        case .unlinked:
            self.link = nil
            self.conflicts = []
        case .shared:
            guard let customer = record.customer, !self.sharers.contains(customer) else { return }
            self.sharers.append(customer)
        case .unshared: self.sharers.removeAll { $0 == record.customer }
        case .conflicted:
            guard let customer = record.customer, !self.conflicts.contains(customer) else { return }
            if self.conflicts.count < Self.conflictLimit { self.conflicts.append(customer) }
        case .dismissed: break
        }
    }

    /// The `linked` event of a version without policies: the first customer holds, and each that followed is a conflict.
    /// - Parameter customer: nil once it has been erased.
    mutating func applyUnjudgedLink(to customer: CustomerID?, _ newest: FactPlace) {
        guard let link = self.link else {
            self.link = CustomerLink(
                customer: customer, token: self.token?.value ?? nil, place: self.token?.place ?? newest)
            return
        }
        if let customer, link.customer != customer { self.apply(LinkRecord(.conflicted, customer)) }
    }
}
