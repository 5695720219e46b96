import Subscriptions

extension CustomerReview {
    init(_ proto: ProtoCustomerReview) throws(WireError) {
        self.init(
            customers: try proto.customers.map { id throws(WireError) in CustomerID(stored: try id.spelling()) })
        for id in proto.appAccountTokens { self.identifiers.append(try RegistrableIdentifier(token: id)) }
        for id in proto.appTransactionIds { self.identifiers.append(.account(try id.spelling())) }
    }

    func proto() -> ProtoCustomerReview {
        var proto = ProtoCustomerReview()
        proto.customers = self.customers.map { ProtoIdentifier($0.rawValue) }
        for identifier in self.identifiers {
            switch identifier {
            case .token: proto.appAccountTokens.append(ProtoIdentifier(identifier.text))
            case .account: proto.appTransactionIds.append(ProtoIdentifier(identifier.text))
            }
        }
        return proto
    }
}
