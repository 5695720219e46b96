import Subscriptions

extension Grant {
    init(_ proto: ProtoGrant) {
        self.init(
            id: proto.id, entitlement: proto.entitlement, reason: proto.reason, source: proto.source,
            from: Moment(rawValue: proto.from), until: proto.hasUntil ? Moment(rawValue: proto.until) : nil,
            renews: proto.renews, environment: AppStoreEnvironment(rawValue: proto.environment),
            actor: proto.hasActor ? proto.actor : nil,
            revokedAt: proto.hasRevokedAt ? Moment(rawValue: proto.revokedAt) : nil,
            origin: proto.hasOrigin ? proto.origin : nil)
    }

    func proto() -> ProtoGrant {
        var proto = ProtoGrant()
        proto.id = self.id
        proto.entitlement = self.entitlement
        proto.reason = self.reason
        proto.source = self.source
        proto.from = self.from.rawValue
        if let until = self.until { proto.until = until.rawValue }
        proto.renews = self.renews
        proto.environment = self.environment.rawValue
        if let actor = self.actor { proto.actor = actor }
        if let revokedAt = self.revokedAt { proto.revokedAt = revokedAt.rawValue }
        if let origin = self.origin { proto.origin = origin }
        return proto
    }
}
