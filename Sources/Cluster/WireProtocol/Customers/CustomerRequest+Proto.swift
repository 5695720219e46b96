import Subscriptions

extension CustomerRequest {
    /// - Parameter customer: stands apart, with what leads to a person.
    init(_ proto: ProtoCustomerRequest, of customer: CustomerID) throws(WireError) {
        let content: Content =
            switch proto.change {
            case .grant(let request):
                .grant(Grant(request.grant), startsNow: request.startsNow, replaces: request.replaces)
            case .revoke(let id): .revoke(grant: id)
            case .set(let attributes): .set(attributes.values)
            case nil: throw WireError(.malformed, "a request about a customer of a kind that is not known here")
            }
        self.init(customer, content, actor: proto.hasActor ? proto.actor : nil)
    }

    func proto() -> ProtoCustomerRequest {
        var proto = ProtoCustomerRequest()
        switch self.content {
        case .grant(let grant, let startsNow, let replaces):
            proto.grant.grant = grant.proto()
            proto.grant.startsNow = startsNow
            proto.grant.replaces = replaces
        case .revoke(let id): proto.revoke = id
        case .set(let changes): proto.set = ProtoAttributes(changes)
        }
        if let actor = self.actor { proto.actor = actor }
        return proto
    }
}
