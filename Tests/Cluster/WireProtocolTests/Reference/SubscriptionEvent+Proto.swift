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
            link: proto.hasLink ? try LinkRecord(proto.link, proto.personal) : nil,
            customerID: proto.hasLink || proto.hasCustomer || proto.hasRegistration
                ? nil : try proto.personal.customerIds.first?.spelling(),
            customer: proto.hasCustomer ? try CustomerRecord(proto.customer, proto.personal) : nil,
            registration: proto.hasRegistration ? try Registration(proto.registration, proto.personal) : nil,
            reevaluation: proto.hasReevaluation ? try Reevaluation(proto.reevaluation) : nil,
            successor: proto.hasSuccession ? try Placed(proto.succession) : nil,
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
        case .person: self = .person
        case .rules: self = .rules
        case .unspecified: throw Refusal(.malformed, "an event without a source")
        case .UNRECOGNIZED(let number): throw Refusal(.unknownWord, "number \(number) of \(ProtoSource.self)")
        }
    }
}

extension Placed<OriginalTransactionID> {
    init(_ proto: ProtoSuccession) throws(Refusal) {
        guard proto.hasID, proto.hasPlace else { throw Refusal(.malformed, "a successor without its id or place") }
        self.init(OriginalTransactionID(rawValue: try proto.id.spelling()), at: FactPlace(proto.place))
    }
}

extension Reevaluation {
    fileprivate init(_ proto: ProtoReevaluation) throws(Refusal) {
        self.init(previous: try Answer(proto.previous), current: try Answer(proto.current))
    }
}

extension Reevaluation.Answer {
    fileprivate init(_ proto: ProtoReevaluation.Answer) throws(Refusal) {
        let state = proto.hasState ? LifecycleState(rawValue: proto.state) : nil
        guard !proto.hasState || state != nil else { throw Refusal(.unknownWord, "a state that is not known") }
        self.init(
            entitled: proto.entitled, state: state, code: proto.code,
            productID: proto.hasProductID ? proto.productID : nil,
            validUntil: proto.hasValidUntil ? Moment(rawValue: proto.validUntil) : nil,
            entitlements: proto.entitlements)
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

extension GrantKey {
    fileprivate init(_ proto: ProtoGrantKey) { self.init(proto.id, under: proto.hasOrigin ? proto.origin : nil) }
}

extension CustomerRecord {
    fileprivate init(_ proto: ProtoCustomerRecord, _ personal: ProtoPersonalIdentifiers) throws(Refusal) {
        let content: Content
        let other = personal.hasOtherCustomerID ? CustomerID(stored: try personal.otherCustomerID.spelling()) : nil
        switch proto.content {
        case .move(let move):
            switch move.step {
            case .takes:
                content = .takes(
                    other, at: move.version,
                    Room(names: Int(move.room.names), grants: Int(move.room.grants), bytes: Int(move.room.bytes)))
            case .drops: content = .drops(other)
            case .taken: content = .taken(other, Belongings(move.belongings))
            case .moved: content = .moved(to: other)
            case .stays: content = .stays
            case .givesBack:
                content = .givesBack(
                    other, at: move.version,
                    Room(names: Int(move.room.names), grants: Int(move.room.grants), bytes: Int(move.room.bytes)),
                    ReturnedBelongings(
                        grants: move.returned.grants.map(GrantKey.init), attributes: move.returned.attributes,
                        origins: move.returned.origins))
            case .returned: content = .returned(from: other)
            case .left: content = .left(grants: move.returned.grants.map(GrantKey.init))
            default: throw Refusal(.malformed, "a step of a move that is not known")
            }
        case .granted(let grant): content = .granted(Grant(grant))
        case .revoked(let grant):
            content = .revoked(
                grant: GrantKey(grant.id, under: grant.hasOrigin ? grant.origin : nil), at: Moment(rawValue: grant.at))
        case .attributes(let list): content = .attributes(list.changes)
        case .told(let change):
            content = .told(
                EntitlementChange(
                    EntitlementName(change.entitlement, in: AppStoreEnvironment(rawValue: change.environment)),
                    from: change.hasPrevious ? try ToldAnswer(change.previous) : nil, to: try ToldAnswer(change.current)
                ))
        case .duplicatePayment(let duplicate): content = .duplicatePayment(try DuplicatePayment(duplicate))
        case .duplicatePaymentClosed(let duplicate): content = .duplicatePaymentClosed(try DuplicatePayment(duplicate))
        case nil: throw Refusal(.malformed, "a customer's record without content")
        }
        self.init(
            try personal.customerIds.first.map { id throws(Refusal) in CustomerID(stored: try id.spelling()) }, content,
            actor: proto.hasActor ? proto.actor : nil, reason: proto.hasReason ? proto.reason : nil)
    }
}

extension ToldAnswer {
    fileprivate init(_ proto: ProtoToldAnswer) throws(Refusal) {
        var by: EntitlementGiver?
        switch proto.by {
        case .stream(let bytes):
            guard let key = StreamKey(bytes: Array(bytes)) else { throw Refusal(.malformed, "what is no stream") }
            by = .stream(key)
        case .grant(let id): by = .grant(id: id)
        case nil: break
        }
        self.init(
            entitled: proto.entitled, state: proto.hasState ? proto.state : nil, code: proto.code,
            validUntil: proto.hasValidUntil ? Moment(rawValue: proto.validUntil) : nil,
            productID: proto.hasProductID ? proto.productID : nil, rank: proto.hasRank ? Int(proto.rank) : nil, by: by)
    }
}

extension DuplicatePayment {
    fileprivate init(_ proto: ProtoDuplicatePayment) throws(Refusal) {
        self.init(
            proto.entitlement, since: Moment(rawValue: proto.since), try Side(proto.first), try Side(proto.second))
    }
}

extension DuplicatePayment.Side {
    fileprivate init(_ proto: ProtoDuplicatePayment.Side) throws(Refusal) {
        let product = proto.hasProductID ? proto.productID : nil
        switch proto.by {
        case .stream(let bytes):
            guard let key = StreamKey(bytes: Array(bytes)) else { throw Refusal(.malformed, "what is no stream") }
            self.init(.stream(key), productID: product)
        case .grant(let id): self.init(.grant(id: id), productID: product)
        case nil: throw Refusal(.malformed, "a payment of nothing")
        }
    }
}

extension ProtoAttributes {
    fileprivate var changes: [String: AttributeValue?] {
        var changes: [String: AttributeValue?] = [:]
        for attribute in self.attributes {
            switch attribute.value {
            case .text(let text): changes[attribute.name] = .text(text)
            case .number(let number): changes[attribute.name] = .number(number)
            case .boolean(let flag): changes[attribute.name] = .boolean(flag)
            case nil: changes.updateValue(nil, forKey: attribute.name)
            }
        }
        return changes
    }
}

extension Belongings {
    fileprivate init(_ proto: ProtoBelongings) {
        self.init(
            grants: proto.grants.map(Grant.init), attributes: proto.attributes.changes.compactMapValues { $0 },
            arrived: proto.arrived, asOf: Moment(rawValue: proto.asOf),
            of: proto.origin)
    }
}

extension Grant {
    fileprivate init(_ proto: ProtoGrant) {
        self.init(
            id: proto.id, entitlement: proto.entitlement, reason: proto.reason, source: proto.source,
            from: Moment(rawValue: proto.from), until: proto.hasUntil ? Moment(rawValue: proto.until) : nil,
            renews: proto.renews, environment: AppStoreEnvironment(rawValue: proto.environment),
            actor: proto.hasActor ? proto.actor : nil,
            revokedAt: proto.hasRevokedAt ? Moment(rawValue: proto.revokedAt) : nil,
            origin: proto.hasOrigin ? proto.origin : nil)
    }
}

extension Registration {
    fileprivate init(_ proto: ProtoRegistration, _ personal: ProtoPersonalIdentifiers) throws(Refusal) {
        guard let action = Action(rawValue: proto.action.rawValue) else {
            throw Refusal(
                .unknownWord, "number \(proto.action.rawValue) of \(ProtoRegistration.Action.self)")
        }
        self.init(
            action, of: personal.hasRegisteredIdentifier ? try personal.registeredIdentifier.spelling() : nil,
            try personal.customerIds.first.map { id throws(Refusal) in CustomerID(stored: try id.spelling()) },
            isProvisional: proto.provisional, isByLink: proto.byLink, actor: proto.hasActor ? proto.actor : nil)
    }
}

extension LinkRecord {
    fileprivate init(_ proto: ProtoEvent.Link, _ personal: ProtoPersonalIdentifiers) throws(Refusal) {
        guard let action = Action(rawValue: proto.action.rawValue) else {
            throw Refusal(.unknownWord, "number \(proto.action.rawValue) of \(ProtoLinkAction.self)")
        }
        self.init(
            action, try personal.customerIds.first.map { id throws(Refusal) in CustomerID(stored: try id.spelling()) },
            token: personal.hasLinkToken ? AccountToken(try personal.linkToken.spelling()) : nil,
            place: proto.hasPlace ? FactPlace(proto.place) : nil, actor: proto.hasActor ? proto.actor : nil,
            reason: proto.hasReason ? proto.reason : nil, isErased: proto.erased)
    }
}

extension FactPlace {
    init(_ proto: ProtoFactPlace) {
        self.init(
            purchaseDate: Moment(rawValue: proto.purchaseDate), signedDate: Moment(rawValue: proto.signedDate),
            digestStart: proto.digestStart)
    }
}
