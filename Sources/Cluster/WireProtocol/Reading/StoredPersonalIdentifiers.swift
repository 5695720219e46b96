import Subscriptions

/// The content of `PersonalIdentifiers`. An identifier that nothing asks for may be without meaning.
struct StoredPersonalIdentifiers {
    private(set) var customerID: StoredIdentifier?
    private(set) var rescindedAppTransactionID: StoredIdentifier?
    private(set) var linkToken: StoredIdentifier?
    private(set) var appAccountToken: StoredIdentifier?
    private(set) var appTransactionID: StoredIdentifier?
    private(set) var linkedCustomerID: StoredIdentifier?
    private(set) var sharingCustomerIDs: [StoredIdentifier] = []
    private(set) var conflictingCustomerIDs: [StoredIdentifier] = []
    private(set) var otherCustomerID: StoredIdentifier?
    private(set) var registeredIdentifier: StoredIdentifier?
    private var owners: [(appAccountToken: StoredIdentifier?, appTransactionID: StoredIdentifier?)] = []
    private var place = 0
    private var owner = Facts.Owner()

    init(_ message: MessageReader?) throws(WireError) {
        guard var message else { return }
        while let field = try message.nextField() {
            switch field {
            case 1: try self.addOwner(message.message())
            case 2:
                let id = try message.identifier()
                self.customerID = self.customerID ?? id
            case 3: self.rescindedAppTransactionID = try message.identifier()
            case 4: self.linkToken = try message.identifier()
            case 5: self.appAccountToken = try message.identifier()
            case 6: self.appTransactionID = try message.identifier()
            case 7: self.linkedCustomerID = try message.identifier()
            case 8: self.sharingCustomerIDs.append(try message.identifier())
            case 9: self.conflictingCustomerIDs.append(try message.identifier())
            case 10: self.otherCustomerID = try message.identifier()
            case 11: self.registeredIdentifier = try message.identifier()
            default: try message.skip()
            }
        }
    }

    private mutating func addOwner(_ message: MessageReader) throws(WireError) {
        var message = message
        var (token, transactionID): (StoredIdentifier?, StoredIdentifier?)
        while let field = try message.nextField() {
            switch field {
            case 1: token = try message.identifier()
            case 2: transactionID = try message.identifier()
            default: try message.skip()
            }
        }
        self.owners.append((token, transactionID))
    }

    /// The owner of the next fact. Facts of one owner share its texts.
    mutating func nextOwner() throws(WireError) -> Facts.Owner {
        guard self.place < self.owners.count else { return self.owner }
        let (token, transactionID) = self.owners[self.place]
        self.place += 1
        self.owner = Facts.Owner(
            appAccountToken: try token?.spelling, appTransactionID: try transactionID?.spelling)
        return self.owner
    }
}
