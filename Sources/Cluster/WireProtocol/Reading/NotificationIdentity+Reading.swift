import Subscriptions

extension NotificationIdentity {
    init(_ message: MessageReader) throws(WireError) {
        var message = message
        var (uuid, reason): (String?, String?)
        var type = StoredWord<ProtoNotificationType>()
        var subtype = StoredWord<ProtoNotificationSubtype>()
        while let field = try message.nextField() {
            switch field {
            case 1: uuid = try message.identifier().spelling
            case 2: type.number = try message.word()
            case 3: subtype.number = try message.word()
            case 4: reason = try message.text()
            case 102: type.text = try message.text()
            case 103: subtype.text = try message.text()
            default: try message.skip()
            }
        }
        guard let uuid, let type = try type.spelling else {
            throw WireError(.malformed, "a notification without its id or type")
        }
        self.init(uuid: uuid, type: type, subtype: try subtype.spelling, consumptionRequestReason: reason)
    }
}
