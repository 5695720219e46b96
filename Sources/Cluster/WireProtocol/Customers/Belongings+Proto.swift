import Subscriptions

extension Belongings {
    init(_ proto: ProtoBelongings) {
        self.init(
            grants: proto.grants.map(Grant.init), attributes: proto.attributes.values.compactMapValues(\.self),
            arrived: proto.arrived, asOf: Moment(rawValue: proto.asOf),
            of: proto.origin)
    }

    func proto() -> ProtoBelongings {
        var proto = ProtoBelongings()
        proto.grants = self.grants.map { $0.proto() }
        if !self.attributes.isEmpty { proto.attributes = ProtoAttributes(self.attributes) }
        proto.arrived = self.arrived
        proto.origin = self.origin
        proto.asOf = self.asOf.rawValue
        return proto
    }
}

extension ReturnedBelongings {
    init(_ proto: ProtoReturnedBelongings) {
        self.init(grants: proto.grants.map(GrantKey.init), attributes: proto.attributes, origins: proto.origins)
    }

    func proto() -> ProtoReturnedBelongings {
        var proto = ProtoReturnedBelongings()
        proto.grants = self.grants.map { $0.proto() }
        proto.attributes = self.attributes
        proto.origins = self.origins
        return proto
    }
}

extension GrantKey {
    init(_ proto: ProtoGrantKey) { self.init(proto.id, under: proto.hasOrigin ? proto.origin : nil) }

    func proto() -> ProtoGrantKey {
        var proto = ProtoGrantKey()
        proto.id = self.id
        if let origin = self.origin { proto.origin = origin }
        return proto
    }
}

extension Room {
    init(_ proto: ProtoRoom) {
        self.init(names: Int(proto.names), grants: Int(proto.grants), bytes: Int(proto.bytes))
    }

    func proto() -> ProtoRoom {
        var proto = ProtoRoom()
        proto.names = Int64(self.names)
        proto.grants = Int64(self.grants)
        proto.bytes = Int64(self.bytes)
        return proto
    }
}
