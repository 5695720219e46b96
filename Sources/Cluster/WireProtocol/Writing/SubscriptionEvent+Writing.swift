package import Subscriptions
import SwiftProtobuf

extension SubscriptionEvent {
    /// An `Event`. Reading these bytes with the same key gives the same event, byte for byte in all its texts.
    package func protoBytes(key: StreamKey) throws(WireError) -> [UInt8] {
        var writer = MessageWriter(reservingCapacity: 512)
        try self.write(to: &writer, key: key)
        return writer.bytes
    }

    func write(to writer: inout MessageWriter, key: StreamKey) throws(WireError) {
        let record = try self.record?.proto().written()
        let changes = self.changes.map { ProtoChange.fields(for: $0.rawValue) }
        var rescinded: String?
        if case .consentRescinded(let data) = self.record { rescinded = data.appTransactionID }

        writer.write(self.facts, of: key, 1)
        writer.write(Int64(self.source.proto.rawValue), 2)
        if !changes.isEmpty {
            writer.message(3) { message in
                for (change, _) in changes { message.varint(UInt64(change.rawValue)) }
            }
        }
        writer.write(self.signedDate, 4)
        if let digest = self.contentDigest { writer.write(digest, 5) }
        if let notification = self.notification {
            writer.message(6) { $0.write(notification) }
        }
        writer.write(
            PersonalIdentifiers(
                owners: self.facts.owners,
                customerID: self.namedCustomer?.rawValue ?? self.customerID,
                rescinded: rescinded, linkToken: self.link?.token?.rawValue,
                otherCustomerID: self.customer?.content.other?.rawValue,
                registeredIdentifier: self.registration?.identifier), 7)
        writer.write(self.effectiveAt, 8)
        writer.write(self.detail, 9)
        if let record { writer.write(record.content, record.field) }
        if let link = self.link {
            writer.message(14) { message in
                message.write(Int64(link.action.rawValue), 1)
                message.write(link.place, 2)
                message.write(link.actor, 3)
                message.write(link.reason, 4)
                message.write(link.isErased, 5)
            }
        }
        if let customer = self.customer { writer.write(try customer.proto().encoded(), 20) }
        if let registration = self.registration {
            writer.message(21) { message in
                message.write(Int64(registration.action.rawValue), 1)
                message.write(registration.actor, 2)
                message.write(registration.isProvisional, 3)
                message.write(registration.isByLink, 4)
            }
        }
        if let reevaluation = self.reevaluation { writer.write(try reevaluation.proto().encoded(), 22) }
        writer.write(successor: self.successor, 23)
        for (change, text) in changes where change == .other { writer.write(present: text, 103) }
    }
}

extension MessageWriter {
    /// As a `Succession`.
    mutating func write(successor: Placed<OriginalTransactionID>?, _ field: Int) {
        guard let successor else { return }
        self.message(field) { message in
            message.write(successor.place, 1)
            message.write(identifier: successor.value.rawValue, 2)
        }
    }

    fileprivate mutating func write(_ notification: NotificationIdentity) {
        self.write(identifier: notification.uuid, 1)
        let type = self.write(notification.type, as: ProtoNotificationType.self, 2)
        let subtype = self.write(notification.subtype, as: ProtoNotificationSubtype.self, 3)
        self.write(notification.consumptionRequestReason, 4)
        self.write(type, 102)
        self.write(subtype, 103)
    }
}

extension ProtoEvent.OneOf_Record {
    /// Rare enough for SwiftProtobuf.
    fileprivate func written() throws(WireError) -> (field: Int, content: [UInt8]) {
        switch self {
        case .massExtension(let record): (10, try record.encoded())
        case .externalPurchase(let record): (11, try record.encoded())
        case .consentRescinded(let record): (12, try record.encoded())
        case .test(let record): (13, try record.encoded())
        }
    }
}
