package import EventSourcing
package import WireProtocol

/// What became of a submission.
package enum SubmissionOutcome: Hashable, Sendable {
    /// Durable now.
    case recorded(Place)
    /// Was durable before, or said nothing new.
    case duplicate(Place)
    /// Nothing was recorded.
    case refused(ServiceError.Code, message: String)

    /// Of bytes that are no submission, or name header segments that are not known here. What older nodes answer to such
    /// names has the same words.
    static let unreadable = SubmissionOutcome.refused(
        .storeUnavailable, message: "not a submission that this node can read")

    /// Of an event in its stream and in its shard.
    package struct Place: Hashable, Sendable {
        package var version: StreamVersion
        package var sequence: EventSourcing.Sequence

        package init(version: StreamVersion, sequence: EventSourcing.Sequence) {
            self.version = version
            self.sequence = sequence
        }
    }
}

extension SubmissionOutcome: ProtoRepresentable {
    package init(_ proto: ProtoSubmissionOutcome) throws(WireError) {
        switch proto.outcome {
        case .recorded(let place): self = .recorded(Place(place))
        case .duplicate(let place): self = .duplicate(Place(place))
        case .refused(let refusal):
            // A word that a newer node uses is, to this one, trouble of the other's own.
            self = .refused(ServiceError.Code(rawValue: refusal.code) ?? .storeUnavailable, message: refusal.message)
        case nil:
            self = .refused(.corrupt, message: "the owner gave an answer without an outcome")
        }
    }

    package func proto() -> ProtoSubmissionOutcome {
        var proto = ProtoSubmissionOutcome()
        switch self {
        case .recorded(let place): proto.recorded = place.proto()
        case .duplicate(let place): proto.duplicate = place.proto()
        case .refused(let code, let message):
            proto.refused.code = code.rawValue
            proto.refused.message = message
        }
        return proto
    }
}

extension SubmissionOutcome.Place {
    fileprivate init(_ proto: ProtoSubmissionOutcome.Place) {
        self.init(
            version: StreamVersion(rawValue: proto.version), sequence: Sequence(rawValue: proto.sequence))
    }

    fileprivate func proto() -> ProtoSubmissionOutcome.Place {
        var proto = ProtoSubmissionOutcome.Place()
        proto.version = self.version.rawValue
        proto.sequence = self.sequence.rawValue
        return proto
    }
}
