import Subscriptions
import SwiftProtobuf
import WireProtocol

/// What `SubscriptionEvent(protoBytes:key:)` is held to: SwiftProtobuf reads the bytes, and each field is taken over.
extension SubscriptionEvent {
    init(reference bytes: [UInt8], key: StreamKey) throws(Refusal) {
        try self.init(ProtoEvent(reference: bytes), key: key)
        guard !self.changes.isEmpty else { throw Refusal(.malformed, "an event without a change") }
    }

    private init(_ proto: ProtoEvent, key: StreamKey) throws(Refusal) {
        self.init(
            facts: try Facts(proto.facts, owners: proto.personal.owners, key: key),
            source: try EventSource(proto.source), changes: try proto.changeNames,
            signedDate: proto.hasSignedDate ? Moment(rawValue: proto.signedDate) : nil,
            effectiveAt: proto.hasEffectiveAt ? Moment(rawValue: proto.effectiveAt) : nil,
            notification: proto.hasNotification ? try NotificationIdentity(proto.notification) : nil,
            record: try proto.record.map { record throws(Refusal) in
                try NotificationRecord(record, personal: proto.personal)
            },
            customerID: try proto.personal.customerIds.first?.spelling(),
            detail: proto.hasDetail ? proto.detail : nil,
            contentDigest: proto.contentDigest.isEmpty ? nil : try PayloadDigest(proto: proto.contentDigest))
    }
}

extension EventSource {
    fileprivate init(_ proto: ProtoSource) throws(Refusal) {
        switch proto {
        case .notification: self = .notification
        case .statuses: self = .statuses
        case .history: self = .history
        case .client: self = .client
        case .timer: self = .timer
        case .unspecified: throw Refusal(.malformed, "an event without a source")
        case .UNRECOGNIZED(let number): throw Refusal(.unknownWord, "number \(number) of \(ProtoSource.self)")
        }
    }
}

extension NotificationIdentity {
    fileprivate init(_ proto: ProtoNotificationIdentity) throws(Refusal) {
        guard let type = try proto.type.text(orOther: proto.typeText) else {
            throw Refusal(.malformed, "a notification without a type")
        }
        self.init(
            uuid: try proto.uuid.spelling(), type: type, subtype: try proto.subtype.text(orOther: proto.subtypeText),
            consumptionRequestReason: proto.hasConsumptionRequestReason ? proto.consumptionRequestReason : nil)
    }
}

extension ProtoEvent {
    fileprivate var changeNames: [Change] {
        get throws(Refusal) {
            var texts = self.changesText.makeIterator()
            var names = [Change]()
            for change in self.changes {
                let other = change == .other ? texts.next() : ""
                guard let other, let name = try change.text(orOther: other) else {
                    throw Refusal(.malformed, "a change without its name")
                }
                names.append(Change(rawValue: name))
            }
            return names
        }
    }
}
