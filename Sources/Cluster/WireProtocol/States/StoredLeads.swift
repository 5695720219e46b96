import Subscriptions

/// The leads that a state stores beside its transactions. Usually the transactions state the token, and nothing is stored here.
struct StoredLeads {
    var token: Placed<AccountToken?>?
    var appTransactionID: Placed<String>?
    var predecessor: Placed<OriginalTransactionID>?
    var successors: [Placed<OriginalTransactionID>] = []
    var link: CustomerLink?
    private var sharers: [CustomerID] = []
    private var conflicts: [CustomerID] = []

    init(_ leads: StreamLeads, beside transactions: [TransactionInfo]) {
        let said = StreamLeads(transactions)
        if leads.token != said.token { self.token = leads.token }
        if leads.appTransactionID != said.appTransactionID { self.appTransactionID = leads.appTransactionID }
        if leads.predecessor != said.predecessor { self.predecessor = leads.predecessor }
        self.successors = leads.successors
        self.link = leads.link
        self.sharers = leads.sharers
        self.conflicts = leads.conflicts
    }

    /// Nothing has to be said beside the identifiers.
    var isEmpty: Bool {
        self.token == nil && self.appTransactionID == nil && self.predecessor == nil && self.link == nil
            && self.successors.isEmpty
    }

    func personal(owners: [Facts.Owner]) -> PersonalIdentifiers {
        PersonalIdentifiers(
            owners: owners, linkToken: self.link?.token?.rawValue,
            appAccountToken: (self.token?.value ?? nil)?.rawValue,
            appTransactionID: self.appTransactionID?.value, linkedCustomerID: self.link?.customer?.rawValue,
            sharingCustomerIDs: self.sharers.map(\.rawValue), conflictingCustomerIDs: self.conflicts.map(\.rawValue))
    }

    // MARK: Reading

    init(_ message: MessageReader?, _ identifiers: StoredPersonalIdentifiers) throws(WireError) {
        self.sharers = try identifiers.sharingCustomerIDs.map { id throws(WireError) in
            CustomerID(stored: try id.spelling)
        }
        self.conflicts = try identifiers.conflictingCustomerIDs.map { id throws(WireError) in
            CustomerID(stored: try id.spelling)
        }
        guard var message else { return }
        var predecessorID: StoredIdentifier?
        var (token, appTransaction, predecessor, link): (FactPlace?, FactPlace?, FactPlace?, FactPlace?)
        while let field = try message.nextField() {
            switch field {
            case 1: token = try FactPlace(message.message(unless: token != nil))
            case 3: appTransaction = try FactPlace(message.message(unless: appTransaction != nil))
            case 4: predecessor = try FactPlace(message.message(unless: predecessor != nil))
            case 5: predecessorID = try message.identifier()
            case 6: link = try FactPlace(message.message(unless: link != nil))
            case 7: self.successors.append(try Placed(succession: message.message()))
            default: try message.skip()
            }
        }
        if let token {
            self.token = Placed(try identifiers.appAccountToken?.spelling.asToken, at: token)
        }
        // Without the identifiers, which may have been erased, a place says nothing.
        if let appTransaction, let id = try identifiers.appTransactionID?.spelling {
            self.appTransactionID = Placed(id, at: appTransaction)
        }
        if let predecessor, let id = try predecessorID?.spelling {
            self.predecessor = Placed(OriginalTransactionID(rawValue: id), at: predecessor)
        }
        if let link {
            self.link = CustomerLink(
                customer: try identifiers.linkedCustomerID?.spelling.asCustomer,
                token: try identifiers.linkToken?.spelling.asToken, place: link)
        }
    }

    func leads(beside transactions: [TransactionInfo]) -> StreamLeads {
        var leads = StreamLeads(transactions)
        leads.token = self.token ?? leads.token
        leads.appTransactionID = self.appTransactionID ?? leads.appTransactionID
        leads.predecessor = self.predecessor ?? leads.predecessor
        leads.successors = self.successors
        leads.link = self.link
        leads.sharers = self.sharers
        leads.conflicts = self.conflicts
        return leads
    }
}

extension String {
    /// nil for a token that was kept under other rules.
    fileprivate var asToken: AccountToken? { AccountToken(self) }
    fileprivate var asCustomer: CustomerID { CustomerID(stored: self) }
}

extension FactPlace {
    init(_ message: MessageReader) throws(WireError) {
        var message = message
        self.init(purchaseDate: Moment(rawValue: 0), signedDate: Moment(rawValue: 0), digestStart: 0)
        while let field = try message.nextField() {
            switch field {
            case 1: self.purchaseDate = try message.moment()
            case 2: self.signedDate = try message.moment()
            case 3: self.digestStart = try message.fixed()
            default: try message.skip()
            }
        }
    }
}
