import Subscriptions

extension CustomerRequest {
    /// - Parameter customer: stands apart, with what leads to a person.
    init(_ proto: ProtoCustomerRequest, of customer: CustomerID) throws(WireError) {
        let content: Content =
            switch proto.change {
            case .grant(let request):
                .grant(Grant(request.grant), startsNow: request.startsNow, replaces: request.replaces)
            case .revoke(let id): .revoke(grant: id)
            case .restore(let request):
                .restore(from: Grant(request.from), to: request.hasTo ? Grant(request.to) : nil)
            case .set(let attributes): .set(attributes.values)
            case .take(let request):
                .take(
                    CustomerID(stored: try request.customer.spelling()), at: request.version, Room(request.room),
                    origin: request.origin)
            case .drop(let request):
                .drop(CustomerID(stored: try request.customer.spelling()), before: request.version)
            case .settle(let request):
                .settle(
                    CustomerID(stored: try request.customer.spelling()), Belongings(request.belongings),
                    at: request.version)
            case .move(let request):
                .move(to: CustomerID(stored: try request.to.spelling()), at: request.version)
            case .stay: .stay
            case .giveBack(let request):
                .giveBack(
                    GiveBack(
                        CustomerID(stored: try request.customer.spelling()), at: request.version, Room(request.room),
                        ReturnedBelongings(request.belongings), seen: request.seen))
            case .comeBack(let request):
                .comeBack(from: CustomerID(stored: try request.from.spelling()), at: request.version)
            case .leave(let request): .leave(grants: request.grants.map(GrantKey.init), at: request.version)
            case .tell(let request):
                .tell(try CustomerTelling(request))
            case nil: throw WireError(.malformed, "a request about a customer of a kind that is not known here")
            }
        self.init(
            customer, content, actor: proto.hasActor ? proto.actor : nil, reason: proto.hasReason ? proto.reason : nil)
        self.origins = proto.origins
    }

    func proto() -> ProtoCustomerRequest {
        var proto = ProtoCustomerRequest()
        switch self.content {
        case .grant(let grant, let startsNow, let replaces):
            proto.grant.grant = grant.proto()
            proto.grant.startsNow = startsNow
            proto.grant.replaces = replaces
        case .revoke(let id): proto.revoke = id
        case .restore(let from, let to):
            proto.restore.from = from.proto()
            if let to { proto.restore.to = to.proto() }
        case .set(let changes): proto.set = ProtoAttributes(changes)
        case .take(let other, let version, let room, let origin):
            proto.take.customer = ProtoIdentifier(other.rawValue)
            proto.take.version = version
            proto.take.room = room.proto()
            proto.take.origin = origin
        case .drop(let other, let version):
            proto.drop.customer = ProtoIdentifier(other.rawValue)
            proto.drop.version = version
        case .settle(let other, let belongings, let version):
            proto.settle.version = version
            proto.settle.customer = ProtoIdentifier(other.rawValue)
            proto.settle.belongings = belongings.proto()
        case .move(let target, let version):
            proto.move.to = ProtoIdentifier(target.rawValue)
            proto.move.version = version
        case .stay: proto.stay = true
        case .giveBack(let leaving):
            proto.giveBack.customer = ProtoIdentifier(leaving.customer.rawValue)
            proto.giveBack.version = leaving.version
            proto.giveBack.room = leaving.room.proto()
            proto.giveBack.belongings = leaving.belongings.proto()
            proto.giveBack.seen = leaving.seen
        case .leave(let grants, let version):
            proto.leave.grants = grants.map { $0.proto() }
            proto.leave.version = version
        case .comeBack(let other, let version):
            proto.comeBack.from = ProtoIdentifier(other.rawValue)
            proto.comeBack.version = version
        case .tell(let telling): proto.tell = telling.proto()
        }
        if let reason = self.reason { proto.reason = reason }
        proto.origins = self.origins
        if let actor = self.actor { proto.actor = actor }
        return proto
    }
}

extension CustomerTelling {
    fileprivate init(_ proto: ProtoCustomerRequest.TellRequest) throws(WireError) {
        self.init(
            try proto.changes.map { change throws(WireError) in try EntitlementChange(change) },
            at: proto.version, due: proto.hasDue ? Moment(rawValue: proto.due) : nil,
            next: proto.hasNext ? Moment(rawValue: proto.next) : nil, isBaseline: proto.isBaseline,
            duplicatePayments: try proto.duplicatePayments.map { duplicate throws(WireError) in
                try DuplicatePayment(duplicate)
            },
            closedDuplicatePayments: try proto.closedDuplicatePayments.map { duplicate throws(WireError) in
                try DuplicatePayment(duplicate)
            })
    }

    fileprivate func proto() -> ProtoCustomerRequest.TellRequest {
        var proto = ProtoCustomerRequest.TellRequest()
        proto.changes = self.changes.map { $0.proto() }
        proto.version = self.version
        proto.isBaseline = self.isBaseline
        if let due = self.due { proto.due = due.rawValue }
        if let next = self.next { proto.next = next.rawValue }
        proto.duplicatePayments = self.duplicatePayments.map { $0.proto() }
        proto.closedDuplicatePayments = self.closedDuplicatePayments.map { $0.proto() }
        return proto
    }
}
