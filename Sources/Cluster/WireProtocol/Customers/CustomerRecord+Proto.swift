import Subscriptions

extension CustomerRecord {
    /// - Parameters:
    ///   - customer: stands apart, with what leads to a person.
    ///   - other: likewise the other side of a move.
    init(_ proto: ProtoCustomerRecord, of customer: CustomerID?, other: CustomerID?) throws(WireError) {
        let content: Content =
            switch proto.content {
            case .granted(let grant): .granted(Grant(grant))
            case .revoked(let grant):
                .revoked(
                    grant: GrantKey(grant.id, under: grant.hasOrigin ? grant.origin : nil),
                    at: Moment(rawValue: grant.at))
            case .attributes(let attributes): .attributes(attributes.values)
            case .move(let move): try Content(move, other)
            case .told(let change): .told(try EntitlementChange(change))
            case .duplicatePayment(let duplicate): .duplicatePayment(try DuplicatePayment(duplicate))
            case .duplicatePaymentClosed(let duplicate): .duplicatePaymentClosed(try DuplicatePayment(duplicate))
            case nil: throw WireError(.malformed, "a customer's record of a kind that is not known here")
            }
        self.init(
            customer, content, actor: proto.hasActor ? proto.actor : nil, reason: proto.hasReason ? proto.reason : nil)
    }

    func proto() -> ProtoCustomerRecord {
        var proto = ProtoCustomerRecord()
        switch self.content {
        case .granted(let grant): proto.granted = grant.proto()
        case .revoked(let key, let moment):
            proto.revoked.id = key.id
            if let origin = key.origin { proto.revoked.origin = origin }
            proto.revoked.at = moment.rawValue
        case .attributes(let changes): proto.attributes = ProtoAttributes(changes)
        case .takes(_, let version, let room):
            proto.move.step = .takes
            proto.move.version = version
            proto.move.room = room.proto()
        case .drops: proto.move.step = .drops
        case .taken(_, let belongings):
            proto.move.step = .taken
            proto.move.belongings = belongings.proto()
        case .moved: proto.move.step = .moved
        case .givesBack(_, let version, let room, let belongings):
            proto.move.step = .givesBack
            proto.move.version = version
            proto.move.room = room.proto()
            proto.move.returned = belongings.proto()
        case .left(let grants):
            proto.move.step = .left
            proto.move.returned = ReturnedBelongings(grants: grants).proto()
        case .returned: proto.move.step = .returned
        case .stays: proto.move.step = .stays
        case .told(let change): proto.told = change.proto()
        case .duplicatePayment(let duplicate): proto.duplicatePayment = duplicate.proto()
        case .duplicatePaymentClosed(let duplicate): proto.duplicatePaymentClosed = duplicate.proto()
        }
        if let actor = self.actor { proto.actor = actor }
        if let reason = self.reason { proto.reason = reason }
        return proto
    }
}

extension CustomerRecord.Content {
    fileprivate init(_ move: ProtoCustomerMove, _ other: CustomerID?) throws(WireError) {
        switch move.step {
        case .takes: self = .takes(other, at: move.version, Room(move.room))
        case .drops: self = .drops(other)
        case .taken: self = .taken(other, Belongings(move.belongings))
        case .moved: self = .moved(to: other)
        case .givesBack:
            self = .givesBack(other, at: move.version, Room(move.room), ReturnedBelongings(move.returned))
        case .left: self = .left(grants: ReturnedBelongings(move.returned).grants)
        case .returned: self = .returned(from: other)
        case .stays: self = .stays
        case .unspecified, .UNRECOGNIZED: throw WireError(.malformed, "a step of a move that is not known here")
        }
    }

    /// The other side of a move.
    var other: CustomerID? {
        switch self {
        case .takes(let other, _, _), .drops(let other), .taken(let other, _), .moved(let other),
            .givesBack(let other, _, _, _), .returned(let other):
            other
        case .granted, .revoked, .attributes, .left, .stays, .told, .duplicatePayment, .duplicatePaymentClosed: nil
        }
    }
}
