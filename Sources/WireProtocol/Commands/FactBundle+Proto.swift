import FoundationEssentials
import Subscriptions

/// A bundle crosses as the event that it becomes, without the changes.
extension FactBundle {
    init(_ proto: ProtoFactBundle, key: StreamKey) throws(WireError) {
        let event = try SubscriptionEvent(content: proto.content.encoded(), key: key)
        guard let contentDigest = event.contentDigest, let signedDate = event.signedDate else {
            throw WireError(.malformed, "a bundle without its digest or date")
        }
        self.init(
            facts: event.facts, source: event.source, dedupKey: Array(proto.dedupKey), contentDigest: contentDigest,
            signedDate: signedDate, notification: event.notification, record: event.record,
            customerID: event.customerID)
    }

    func proto(key: StreamKey) -> ProtoFactBundle {
        let event = SubscriptionEvent(
            facts: self.facts, source: self.source, changes: [], signedDate: self.signedDate,
            notification: self.notification, record: self.record, customerID: self.customerID,
            contentDigest: self.contentDigest)
        var proto = ProtoFactBundle()
        proto.dedupKey = Data(self.dedupKey)
        guard let content = try? ProtoEvent(decoding: event.protoBytes(key: key)) else {
            preconditionFailure("what this process writes can be read")
        }
        proto.content = content
        return proto
    }
}
