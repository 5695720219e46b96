import Foundation
import Subscriptions

/// Rare enough for SwiftProtobuf.
extension EntitlementChange {
    init(_ proto: ProtoEntitlementChange) throws(WireError) {
        self.init(
            EntitlementName(proto.entitlement, in: AppStoreEnvironment(rawValue: proto.environment)),
            from: proto.hasPrevious ? try ToldAnswer(proto.previous) : nil, to: try ToldAnswer(proto.current))
    }

    func proto() -> ProtoEntitlementChange {
        var proto = ProtoEntitlementChange()
        proto.entitlement = self.name.entitlement
        proto.environment = self.name.environment.rawValue
        if let previous = self.previous { proto.previous = previous.proto() }
        proto.current = self.current.proto()
        return proto
    }
}

extension ToldAnswer {
    init(_ proto: ProtoToldAnswer) throws(WireError) {
        let by: EntitlementGiver? =
            switch proto.by {
            case .stream(let bytes): .stream(try StreamKey(told: bytes))
            case .grant(let id): .grant(id: id)
            case nil: nil
            }
        self.init(
            entitled: proto.entitled, state: proto.hasState ? proto.state : nil, code: proto.code,
            validUntil: proto.hasValidUntil ? Moment(rawValue: proto.validUntil) : nil,
            productID: proto.hasProductID ? proto.productID : nil, rank: proto.hasRank ? Int(proto.rank) : nil, by: by)
    }

    func proto() -> ProtoToldAnswer {
        var proto = ProtoToldAnswer()
        proto.entitled = self.entitled
        if let state = self.state { proto.state = state }
        proto.code = self.code
        if let end = self.validUntil { proto.validUntil = end.rawValue }
        if let product = self.productID { proto.productID = product }
        if let rank = self.rank { proto.rank = Int64(rank) }
        switch self.by {
        case .stream(let key): proto.stream = Data(key.bytes)
        case .grant(let id): proto.grant = id
        case nil: break
        }
        return proto
    }
}

extension StreamKey {
    /// - Parameter bytes: of what gives something.
    init(told bytes: Data) throws(WireError) {
        guard let key = StreamKey(bytes: Array(bytes)) else {
            throw WireError(.malformed, "an answer by what is no stream")
        }
        self = key
    }
}
