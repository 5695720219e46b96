import Subscriptions

/// The content of `PersonalIdentifiers`. An identifier that nothing asks for may be without meaning.
struct StoredPersonalIdentifiers {
    private(set) var customerIDs: [StoredIdentifier] = []
    private(set) var rescindedAppTransactionID: StoredIdentifier?
    private var owners: [(appAccountToken: StoredIdentifier?, appTransactionID: StoredIdentifier?)] = []
    private var place = 0
    private var owner = Facts.Owner()

    init(_ message: MessageReader?) throws(WireError) {
        guard var message else { return }
        while let field = try message.nextField() {
            switch field {
            case 1: try self.addOwner(message.message())
            case 2: self.customerIDs.append(try message.identifier())
            case 3: self.rescindedAppTransactionID = try message.identifier()
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
