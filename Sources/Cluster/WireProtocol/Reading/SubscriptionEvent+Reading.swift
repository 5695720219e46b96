package import Subscriptions

/// The body of an event in the log. Events leave out what equals the key of their stream, so both directions need it.
extension SubscriptionEvent {
    /// - Throws: `WireError` when these are not the bytes of an event.
    package init(protoBytes: [UInt8], key: StreamKey) throws(WireError) {
        self = try MessageReader.read(protoBytes, as: ProtoEvent.self) { message throws(WireError) in
            try SubscriptionEvent(message, of: key)
        }
        guard !self.changes.isEmpty else { throw WireError(.malformed, "an event without a change") }
    }

    /// Also without a change, as it crosses between nodes.
    init(_ message: MessageReader, of key: StreamKey) throws(WireError) {
        var message = message
        var (facts, notification, personal): (MessageReader?, MessageReader?, MessageReader?)
        var (link, customer, registration): (MessageReader?, MessageReader?, MessageReader?)
        var (reevaluation, succession): (MessageReader?, MessageReader?)
        var record: (field: Int, content: MessageReader)?
        var source = 0
        var changes = StoredChanges()
        var (signedDate, effectiveAt): (Moment?, Moment?)
        var digest: PayloadDigest?
        var detail: String?
        while let field = try message.nextField() {
            switch field {
            case 1: facts = try message.message(unless: facts != nil)
            case 2: source = try message.word()
            case 3: try message.packed { changes.numbers.append($0) }
            case 4: signedDate = try message.moment()
            case 5: digest = try message.digest()
            case 6: notification = try message.message(unless: notification != nil)
            case 7: personal = try message.message(unless: personal != nil)
            case 8: effectiveAt = try message.moment()
            case 9: detail = try message.text()
            case 10...13: record = (field, try message.message(unless: record != nil))
            case 14: link = try message.message(unless: link != nil)
            case 20: customer = try message.message(unless: customer != nil)
            case 21: registration = try message.message(unless: registration != nil)
            case 22: reevaluation = try message.message(unless: reevaluation != nil)
            case 23: succession = try message.message(unless: succession != nil)
            case 103: changes.texts.append(try message.text())
            default: try message.skip()
            }
        }
        var identifiers = try StoredPersonalIdentifiers(personal)
        self.init(
            facts: try Facts(facts, of: key, &identifiers), source: try EventSource(number: source),
            changes: try changes.names, signedDate: signedDate, effectiveAt: effectiveAt,
            notification: try notification.map(NotificationIdentity.init),
            record: try record.map { record throws(WireError) in
                try NotificationRecord(
                    ProtoEvent.OneOf_Record(record.content.copy, field: record.field),
                    rescinded: identifiers.rescindedAppTransactionID)
            },
            link: try link.map { link throws(WireError) in try LinkRecord(link, identifiers) },
            customerID: link == nil && customer == nil && registration == nil
                ? try identifiers.customerID?.spelling : nil,
            customer: try customer.map { message throws(WireError) in try CustomerRecord(message.copy, identifiers) },
            registration: try registration.map { message throws(WireError) in try Registration(message, identifiers) },
            reevaluation: try reevaluation.map { message throws(WireError) in try Reevaluation(message.copy) },
            successor: try succession.map { message throws(WireError) in try Placed(succession: message) },
            detail: detail, contentDigest: digest)
    }
}

extension Placed<OriginalTransactionID> {
    init(succession message: MessageReader) throws(WireError) {
        var message = message
        var (place, id): (FactPlace?, StoredIdentifier?)
        while let field = try message.nextField() {
            switch field {
            case 1: place = try FactPlace(message.message(unless: place != nil))
            case 2: id = try message.identifier()
            default: try message.skip()
            }
        }
        guard let place, let id = try id?.spelling else {
            throw WireError(.malformed, "a successor without its id or place")
        }
        self.init(OriginalTransactionID(rawValue: id), at: place)
    }
}

extension CustomerRecord {
    /// Rare enough for SwiftProtobuf.
    fileprivate init(_ bytes: [UInt8], _ identifiers: StoredPersonalIdentifiers) throws(WireError) {
        try self.init(
            ProtoCustomerRecord(decoding: bytes),
            of: identifiers.customerID.map { id throws(WireError) in CustomerID(stored: try id.spelling) },
            other: identifiers.otherCustomerID.map { id throws(WireError) in CustomerID(stored: try id.spelling) })
    }
}

extension Registration {
    fileprivate init(_ message: MessageReader, _ identifiers: StoredPersonalIdentifiers) throws(WireError) {
        var message = message
        var number = 0
        var actor: String?
        var (isProvisional, isByLink) = (false, false)
        while let field = try message.nextField() {
            switch field {
            case 1: number = try message.word()
            case 2: actor = try message.text()
            case 3: isProvisional = try message.flag()
            case 4: isByLink = try message.flag()
            default: try message.skip()
            }
        }
        guard let action = Action(rawValue: number) else {
            throw WireError(.unknownWord, "number \(number) of \(ProtoRegistration.Action.self)")
        }
        self.init(
            action, of: try identifiers.registeredIdentifier?.spelling,
            try identifiers.customerID.map { id throws(WireError) in CustomerID(stored: try id.spelling) },
            isProvisional: isProvisional, isByLink: isByLink, actor: actor)
    }
}

extension LinkRecord {
    fileprivate init(_ message: MessageReader, _ identifiers: StoredPersonalIdentifiers) throws(WireError) {
        var message = message
        var number = 0
        var place: FactPlace?
        var (actor, reason): (String?, String?)
        var isErased = false
        while let field = try message.nextField() {
            switch field {
            case 1: number = try message.word()
            case 2: place = try FactPlace(message.message(unless: place != nil))
            case 3: actor = try message.text()
            case 4: reason = try message.text()
            case 5: isErased = try message.flag()
            default: try message.skip()
            }
        }
        guard let action = Action(rawValue: number) else {
            throw WireError(.unknownWord, "number \(number) of \(ProtoLinkAction.self)")
        }
        self.init(
            action, try identifiers.customerID.map { id throws(WireError) in CustomerID(stored: try id.spelling) },
            token: try identifiers.linkToken.flatMap { id throws(WireError) in AccountToken(try id.spelling) },
            place: place, actor: actor, reason: reason, isErased: isErased)
    }
}
