package import Subscriptions

/// The body of an event in the log. Events leave out what equals the key of their stream, so both directions need it.
extension SubscriptionEvent {
    /// - Throws: `WireError` when these are not the bytes of an event.
    package init(protoBytes: [UInt8], key: StreamKey) throws(WireError) {
        try self.init(ProtoEvent(decoding: protoBytes), key: key)
        guard !self.changes.isEmpty else { throw WireError(.malformed, "an event without a change") }
    }

    /// Reading these bytes with the same key gives the same event, byte for byte in all its texts.
    package func protoBytes(key: StreamKey) throws(WireError) -> [UInt8] { try self.proto(key: key).encoded() }

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

    func proto(key: StreamKey) -> ProtoEvent {
        var proto = ProtoEvent()
        if !self.facts.isEmpty { proto.facts = self.facts.proto(key: key) }
        proto.source = self.source.proto
        proto.setChangeNames(self.changes)
        if let date = self.signedDate { proto.signedDate = date.rawValue }
        if let digest = self.contentDigest { proto.contentDigest = digest.proto }
        if let notification = self.notification { proto.notification = notification.proto() }
        if let date = self.effectiveAt { proto.effectiveAt = date.rawValue }
        if let detail = self.detail { proto.detail = detail }
        proto.record = self.record?.proto()
        if let personal = self.personal { proto.personal = personal }
        return proto
    }

    private var personal: ProtoPersonalIdentifiers? {
        var rescindedAppTransactionID: String?
        if case .consentRescinded(let data) = self.record { rescindedAppTransactionID = data.appTransactionID }
        return ProtoPersonalIdentifiers(
            owners: self.facts.owners, customerIDs: self.customerID.map { [$0] } ?? [],
            rescindedAppTransactionID: rescindedAppTransactionID)
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

    fileprivate var proto: ProtoSource {
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

    fileprivate mutating func setChangeNames(_ names: [Change]) {
        for name in names {
            let (change, text) = ProtoChange.fields(for: name.rawValue)
            self.changes.append(change)
            if change == .other { self.changesText.append(text) }
        }
    }
}
