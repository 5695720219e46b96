import Subscriptions

/// Rare enough for SwiftProtobuf.
extension ErasureRequest {
    init(_ bytes: [UInt8]) throws(WireError) {
        let proto = try ProtoErasure(decoding: bytes)
        var erased = ErasedIdentifiers()
        for id in proto.customers { erased.customers.insert(CustomerID(stored: try id.spelling())) }
        for id in proto.appAccountTokens { erased.identifiers.insert(try RegistrableIdentifier(token: id)) }
        for id in proto.appTransactionIds { erased.identifiers.insert(.account(try id.spelling())) }
        self.init(erased, links: try StreamLinks(proto.links), at: proto.version)
    }

    func proto() -> ProtoErasure {
        var proto = ProtoErasure()
        proto.customers = self.erased.customers.map(\.rawValue).sorted().map { ProtoIdentifier($0) }
        for identifier in self.erased.identifiers.sorted(by: { $0.text < $1.text }) {
            switch identifier {
            case .token: proto.appAccountTokens.append(ProtoIdentifier(identifier.text))
            case .account: proto.appTransactionIds.append(ProtoIdentifier(identifier.text))
            }
        }
        proto.links = self.links.proto()
        proto.version = self.version
        return proto
    }
}

extension RegistrableIdentifier {
    init(token id: ProtoIdentifier) throws(WireError) {
        guard let token = AccountToken(try id.spelling()) else {
            throw WireError(.malformed, "a token that is no UUID")
        }
        self = .token(token)
    }
}
