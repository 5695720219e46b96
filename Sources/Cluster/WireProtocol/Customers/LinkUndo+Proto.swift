import Subscriptions

/// Rare enough for SwiftProtobuf.
extension LinkUndo {
    init(_ bytes: [UInt8]) throws(WireError) {
        let proto = try ProtoLinkUndo(decoding: bytes)
        self.init(from: try StreamLinks(proto.from), to: try StreamLinks(proto.to))
    }

    func proto() -> ProtoLinkUndo {
        var proto = ProtoLinkUndo()
        proto.from = self.from.proto()
        proto.to = self.to.proto()
        return proto
    }
}

extension StreamLinks {
    init(_ proto: ProtoStreamLinks) throws(WireError) {
        func customers(_ ids: [ProtoIdentifier]) throws(WireError) -> [CustomerID] {
            try ids.map { id throws(WireError) in CustomerID(stored: try id.spelling()) }
        }
        self.init(sharers: try customers(proto.sharers), conflicts: try customers(proto.conflicts))
        guard proto.hasLink else { return }
        self.link = CustomerLink(
            customer: proto.link.hasCustomer ? CustomerID(stored: try proto.link.customer.spelling()) : nil,
            token: proto.link.hasToken ? AccountToken(try proto.link.token.spelling()) : nil,
            place: FactPlace(
                purchaseDate: Moment(rawValue: proto.link.place.purchaseDate),
                signedDate: Moment(rawValue: proto.link.place.signedDate),
                digestStart: proto.link.place.digestStart))
    }

    func proto() -> ProtoStreamLinks {
        var proto = ProtoStreamLinks()
        if let link = self.link {
            proto.link.place.purchaseDate = link.place.purchaseDate.rawValue
            proto.link.place.signedDate = link.place.signedDate.rawValue
            proto.link.place.digestStart = link.place.digestStart
            if let customer = link.customer { proto.link.customer = ProtoIdentifier(customer.rawValue) }
            if let token = link.token { proto.link.token = ProtoIdentifier(token.rawValue) }
        }
        proto.sharers = self.sharers.map { ProtoIdentifier($0.rawValue) }
        proto.conflicts = self.conflicts.map { ProtoIdentifier($0.rawValue) }
        return proto
    }
}
