import EventSourcing
import FoundationEssentials

extension EvidencePart {
    init(_ proto: ProtoEvidencePart) throws(WireError) {
        self.init(name: try Name(proto.name), jws: Array(proto.jws))
    }

    func proto() -> ProtoEvidencePart {
        var proto = ProtoEvidencePart()
        proto.name = self.name.proto
        proto.jws = Data(self.jws)
        return proto
    }
}

extension EvidencePart.Name {
    fileprivate init(_ proto: ProtoEvidencePart.Name) throws(WireError) {
        switch proto {
        case .signedPayload: self = .signedPayload
        case .signedTransactionInfo: self = .signedTransactionInfo
        case .signedRenewalInfo: self = .signedRenewalInfo
        case .unspecified, .UNRECOGNIZED: throw WireError(.malformed, "evidence without a name")
        }
    }

    fileprivate var proto: ProtoEvidencePart.Name {
        switch self {
        case .signedPayload: .signedPayload
        case .signedTransactionInfo: .signedTransactionInfo
        case .signedRenewalInfo: .signedRenewalInfo
        }
    }
}
