package import EventLog
package import WireProtocol

/// What became of a submission.
package enum SubmissionOutcome: Hashable, Sendable {
    /// Durable now.
    case recorded(Place)
    /// Was durable before, or said nothing new.
    case duplicate(Place)
    /// Nothing was recorded; but where a link is refused, the facts that came with it were.
    case refused(ServiceError.Code, message: String)

    /// Of bytes that are no submission, or name header segments that are not known here. What older nodes answer to such
    /// names has the same words.
    package static let unreadable = SubmissionOutcome.refused(
        .storeUnavailable, message: "not a submission that this node can read")

    /// Of an event in its stream and in its shard.
    package struct Place: Hashable, Sendable {
        package var version: StreamVersion
        package var sequence: LogSequence

        package init(version: StreamVersion, sequence: LogSequence) {
            self.version = version
            self.sequence = sequence
        }
    }
}

extension SubmissionOutcome: WireRepresentable {
    package init(wireBytes: [UInt8]) throws(WireError) {
        switch try OutcomeMessage(wireBytes: wireBytes) {
        case .recorded(let version, let sequence): self = .recorded(Place(version: version, sequence: sequence))
        case .duplicate(let version, let sequence): self = .duplicate(Place(version: version, sequence: sequence))
        case .refused(let code, let message):
            // A word that a newer node uses is, to this one, trouble of the other's own.
            self = .refused(ServiceError.Code(rawValue: code) ?? .storeUnavailable, message: message)
        case .unknown:
            self = .refused(.corrupt, message: "the owner gave an answer without an outcome")
        }
    }

    package func wireBytes() -> [UInt8] {
        let message: OutcomeMessage =
            switch self {
            case .recorded(let place): .recorded(place.version, place.sequence)
            case .duplicate(let place): .duplicate(place.version, place.sequence)
            case .refused(let code, let message): .refused(code: code.rawValue, message: message)
            }
        return message.wireBytes()
    }
}
