import Subscriptions

extension NotificationIdentity {
    init(_ proto: ProtoNotificationIdentity) throws(WireError) {
        guard let type = try proto.type.text(orOther: proto.typeText) else {
            throw WireError(.malformed, "a notification without a type")
        }
        self.init(
            uuid: try proto.uuid.spelling(), type: type, subtype: try proto.subtype.text(orOther: proto.subtypeText),
            consumptionRequestReason: proto.hasConsumptionRequestReason ? proto.consumptionRequestReason : nil)
    }
}
