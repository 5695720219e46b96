import Subscriptions

extension CustomerRecord {
    /// - Parameter customer: stands apart, with what leads to a person.
    init(_ proto: ProtoCustomerRecord, of customer: CustomerID?) throws(WireError) {
        let content: Content =
            switch proto.content {
            case .granted(let grant): .granted(Grant(grant))
            case .revoked(let grant): .revoked(grant: grant.id, at: Moment(rawValue: grant.at))
            case .attributes(let attributes): .attributes(attributes.values)
            case nil: throw WireError(.malformed, "a customer's record of a kind that is not known here")
            }
        self.init(customer, content, actor: proto.hasActor ? proto.actor : nil)
    }

    func proto() -> ProtoCustomerRecord {
        var proto = ProtoCustomerRecord()
        switch self.content {
        case .granted(let grant): proto.granted = grant.proto()
        case .revoked(let id, let moment):
            proto.revoked.id = id
            proto.revoked.at = moment.rawValue
        case .attributes(let changes): proto.attributes = ProtoAttributes(changes)
        }
        if let actor = self.actor { proto.actor = actor }
        return proto
    }
}
