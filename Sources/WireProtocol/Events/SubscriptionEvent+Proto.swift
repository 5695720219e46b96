package import Subscriptions

/// The body of an event in the log. Events leave out what equals the key of their stream, so both directions need it.
extension SubscriptionEvent {
    /// - Throws: `WireError` when these are not the bytes of an event.
    package init(protoBytes: [UInt8], key: StreamKey) throws(WireError) {
        try self.init(ProtoEvent(decoding: protoBytes), key: key)
        guard !self.changes.isEmpty else { throw WireError(.malformed, "an event without a change") }
    }

    init(_ proto: ProtoEvent, key: StreamKey) throws(WireError) {
        self.init(
            facts: try Facts(proto.facts, owners: proto.personal.owners, key: key),
            source: try EventSource(proto.source), changes: try proto.changeNames,
            signedDate: proto.hasSignedDate ? Moment(rawValue: proto.signedDate) : nil,
            effectiveAt: proto.hasEffectiveAt ? Moment(rawValue: proto.effectiveAt) : nil,
            notification: proto.hasNotification ? try NotificationIdentity(proto.notification) : nil,
            record: try proto.record.map { record throws(WireError) in
                try NotificationRecord(record, personal: proto.personal)
            },
            customerID: try proto.personal.customerIds.first?.spelling(),
            detail: proto.hasDetail ? proto.detail : nil,
            contentDigest: proto.contentDigest.isEmpty ? nil : try PayloadDigest(proto: proto.contentDigest))
    }
}

extension EventSource {
    fileprivate init(_ proto: ProtoSource) throws(WireError) {
        switch proto {
        case .notification: self = .notification
        case .statuses: self = .statuses
        case .history: self = .history
        case .client: self = .client
        case .timer: self = .timer
        case .unspecified: throw WireError(.malformed, "an event without a source")
        case .UNRECOGNIZED(let number): throw WireError(.unknownWord, "number \(number) of \(ProtoSource.self)")
        }
    }

    var proto: ProtoSource {
        switch self {
        case .notification: .notification
        case .statuses: .statuses
        case .history: .history
        case .client: .client
        case .timer: .timer
        }
    }
}

extension ProtoEvent {
    fileprivate var changeNames: [Change] {
        get throws(WireError) {
            var texts = self.changesText.makeIterator()
            var names = [Change]()
            for change in self.changes {
                let other = change == .other ? texts.next() : ""
                guard let other, let name = try change.text(orOther: other) else {
                    throw WireError(.malformed, "a change without its name")
                }
                names.append(Change(rawValue: name))
            }
            return names
        }
    }
}
