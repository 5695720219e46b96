import Subscriptions

/// Rare enough for SwiftProtobuf.
extension Reevaluation {
    init(_ bytes: [UInt8]) throws(WireError) {
        let proto = try ProtoReevaluation(decoding: bytes)
        self.init(previous: try Answer(proto.previous), current: try Answer(proto.current))
    }

    func proto() -> ProtoReevaluation {
        var proto = ProtoReevaluation()
        proto.previous = self.previous.proto()
        proto.current = self.current.proto()
        return proto
    }
}

extension Reevaluation.Answer {
    fileprivate init(_ proto: ProtoReevaluation.Answer) throws(WireError) {
        var state: LifecycleState?
        if proto.hasState {
            guard let known = LifecycleState(rawValue: proto.state) else {
                throw WireError(.unknownWord, "a state that is not known here")
            }
            state = known
        }
        self.init(
            entitled: proto.entitled, state: state, code: proto.code,
            productID: proto.hasProductID ? proto.productID : nil,
            validUntil: proto.hasValidUntil ? Moment(rawValue: proto.validUntil) : nil,
            entitlements: proto.entitlements)
    }

    fileprivate func proto() -> ProtoReevaluation.Answer {
        var proto = ProtoReevaluation.Answer()
        proto.entitled = self.entitled
        if let state = self.state { proto.state = state.rawValue }
        proto.code = self.code
        if let product = self.productID { proto.productID = product }
        if let end = self.validUntil { proto.validUntil = end.rawValue }
        proto.entitlements = self.entitlements
        return proto
    }
}
