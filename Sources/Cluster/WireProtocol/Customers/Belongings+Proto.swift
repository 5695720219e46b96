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
