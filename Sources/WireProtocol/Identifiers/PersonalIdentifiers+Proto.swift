import Subscriptions

extension ProtoPersonalIdentifiers {
    /// nil when there is nothing to say.
    init?(owners: [ProtoOwner], customerIDs: [String], rescindedAppTransactionID: String? = nil) {
        guard !owners.isEmpty || !customerIDs.isEmpty || rescindedAppTransactionID != nil else { return nil }
        self.init()
        self.owners = owners
        self.customerIds = customerIDs.map(ProtoIdentifier.init)
        if let id = rescindedAppTransactionID { self.rescindedAppTransactionID = ProtoIdentifier(id) }
    }
}

extension Facts {
    /// Whose each fact is, in the form of `PersonalIdentifiers.owners`.
    var owners: [ProtoOwner] {
        var owners = self.transactions.map { ProtoOwner($0.appAccountToken, $0.appTransactionID) }
        if let renewal = self.renewal { owners.append(ProtoOwner(renewal.appAccountToken, renewal.appTransactionID)) }
        while owners.count > 1, owners[owners.count - 1] == owners[owners.count - 2] { owners.removeLast() }
        return owners == [ProtoOwner()] ? [] : owners
    }
}

extension [ProtoOwner] {
    func owner(at place: Int) -> ProtoOwner { place < self.count ? self[place] : self.last ?? ProtoOwner() }
}

extension ProtoOwner {
    fileprivate init(_ appAccountToken: String?, _ appTransactionID: String?) {
        if let appAccountToken { self.appAccountToken = ProtoIdentifier(appAccountToken) }
        if let appTransactionID { self.appTransactionID = ProtoIdentifier(appTransactionID) }
    }
}
