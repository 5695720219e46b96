import Foundation
import Subscriptions

/// Rare enough for SwiftProtobuf.
extension DuplicatePayment {
    init(_ proto: ProtoDuplicatePayment) throws(WireError) {
        self.init(
            proto.entitlement, since: Moment(rawValue: proto.since), try Side(proto.first), try Side(proto.second))
    }

    func proto() -> ProtoDuplicatePayment {
        var proto = ProtoDuplicatePayment()
        proto.entitlement = self.entitlement
        proto.since = self.since.rawValue
        proto.first = self.first.proto()
        proto.second = self.second.proto()
        return proto
    }
}

extension DuplicatePayment.Side {
    fileprivate init(_ proto: ProtoDuplicatePayment.Side) throws(WireError) {
        let by: EntitlementGiver =
            switch proto.by {
            case .stream(let bytes): .stream(try StreamKey(told: bytes))
            case .grant(let id): .grant(id: id)
            case nil: throw WireError(.malformed, "a payment of what is neither a stream nor a grant")
            }
        self.init(by, productID: proto.hasProductID ? proto.productID : nil)
    }

    fileprivate func proto() -> ProtoDuplicatePayment.Side {
        var proto = ProtoDuplicatePayment.Side()
        switch self.by {
        case .stream(let key): proto.stream = Data(key.bytes)
        case .grant(let id): proto.grant = id
        }
        if let product = self.productID { proto.productID = product }
        return proto
    }
}
