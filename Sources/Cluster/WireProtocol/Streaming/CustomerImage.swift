package import Customers
package import EventLog
package import Subscriptions

/// What answers by customer need of one stream (proto: `CustomerImage`).
package struct CustomerImage: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// A subscription or a purchase.
        case held(LeadImage, [HeldStream.Phase])
        case granted(GrantedImage)
        /// An `appAccountToken` or an `appTransactionId`; nil where no customer has registered it.
        case holder(IdentifierHash?)
    }

    /// Of the stream that it was made from.
    package var version: StreamVersion
    package var content: Content

    package init(version: StreamVersion, _ content: Content) {
        self.version = version
        self.content = content
    }

    /// - Throws: `WireError` for bytes that are no image.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        self = try MessageReader.read(bytes, as: ProtoCustomerImage.self) { reader throws(WireError) in
            try CustomerImage(reader)
        }
    }

    package func encoded() -> [UInt8] {
        var writer = MessageWriter(reservingCapacity: 192)
        writer.write(self)
        return writer.bytes
    }
}

/// What people at the publisher's have said of a customer, as far as answers depend on it (proto: `GrantedImage`).
package struct GrantedImage: Hashable, Sendable {
    /// To whom everything of the customer has been moved.
    package var movedTo: IdentifierHash?
    /// Those that run or may begin, with what answers need of them. One that had begun when it was recorded has always run.
    package var grants: [Grant]
    /// Customers that may be on their way here: their grants count here as soon as they have moved.
    package var takes: [IdentifierHash]

    package init(movedTo: IdentifierHash? = nil, grants: [Grant] = [], takes: [IdentifierHash] = []) {
        self.movedTo = movedTo
        self.grants = grants
        self.takes = takes
    }

    package init(_ state: CustomerState, hash: (CustomerID) -> IdentifierHash) {
        self.init(
            movedTo: state.movedTo.map(hash),
            grants: state.grants(seenAt: .distantPast).compactMap { grant in
                guard grant.revokedAt == nil, grant.until.map({ state.changedAt < $0 }) ?? true else { return nil }
                return Grant(
                    id: grant.id, entitlement: grant.entitlement, from: grant.from, until: grant.until,
                    in: grant.environment)
            }, takes: state.takes.map { hash($0.customer) })
    }
}

extension Grant {
    /// With nothing but what answers depend on.
    init(id: String, entitlement: String, from: Moment, until: Moment?, in environment: AppStoreEnvironment) {
        self.init(
            id: id, entitlement: entitlement, reason: "", source: "", from: from, until: until,
            environment: environment)
    }
}
