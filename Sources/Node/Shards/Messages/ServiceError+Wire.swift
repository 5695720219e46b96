package import ServiceContract
package import WireProtocol

/// What an owner refuses crosses as the same refusal; where it was thrown does not.
extension ServiceError: ProtoRepresentable {
    package init(_ proto: ProtoSubmissionOutcome.Refusal) {
        // A word that a newer node uses is, to this one, trouble of the other's own.
        self.init(Code(rawValue: proto.code) ?? .storeUnavailable, proto.message)
    }

    package func proto() -> ProtoSubmissionOutcome.Refusal {
        var proto = ProtoSubmissionOutcome.Refusal()
        proto.code = self.code.rawValue
        proto.message = self.message
        return proto
    }
}
