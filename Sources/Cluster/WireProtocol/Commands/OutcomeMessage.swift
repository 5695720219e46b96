package import EventLog

/// What became of a `Submission`, as its owner tells it (proto: `SubmissionOutcome`). By hand, as the submission is.
package enum OutcomeMessage: Hashable, Sendable {
    case recorded(StreamVersion, LogSequence)
    case duplicate(StreamVersion, LogSequence)
    /// - Parameter code: a word for programs, as in the HTTP interface.
    case refused(code: String, message: String)
    /// None that this version has a word for.
    case unknown
}

extension OutcomeMessage: WireRepresentable {
    package init(wireBytes: [UInt8]) throws(WireError) {
        self = try MessageReader.read(wireBytes, as: ProtoSubmissionOutcome.self) { message throws(WireError) in
            var message = message
            var outcome: OutcomeMessage?
            while let field = try message.nextField() {
                switch field {
                case 1:
                    let (version, sequence) = try Self.place(message.message(unless: outcome != nil))
                    outcome = .recorded(version, sequence)
                case 2:
                    let (version, sequence) = try Self.place(message.message(unless: outcome != nil))
                    outcome = .duplicate(version, sequence)
                case 3: outcome = try Self.refusal(message.message(unless: outcome != nil))
                default: try message.skip()
                }
            }
            return outcome ?? .unknown
        }
    }

    package func wireBytes() -> [UInt8] {
        var writer = MessageWriter(reservingCapacity: 32)
        switch self {
        case .recorded(let version, let sequence): writer.message(1) { $0.write(version, sequence) }
        case .duplicate(let version, let sequence): writer.message(2) { $0.write(version, sequence) }
        case .refused(let code, let message):
            writer.message(3) { refusal in
                refusal.write(code, 1)
                refusal.write(message, 2)
            }
        case .unknown: break
        }
        return writer.bytes
    }

    private static func place(_ message: MessageReader) throws(WireError) -> (StreamVersion, LogSequence) {
        var message = message
        var (version, sequence) = (StreamVersion.zero, LogSequence.zero)
        while let field = try message.nextField() {
            switch field {
            case 1: version = StreamVersion(rawValue: try message.integer())
            case 2: sequence = LogSequence(rawValue: try message.integer())
            default: try message.skip()
            }
        }
        return (version, sequence)
    }

    private static func refusal(_ message: MessageReader) throws(WireError) -> OutcomeMessage {
        var message = message
        var (code, text) = ("", "")
        while let field = try message.nextField() {
            switch field {
            case 1: code = try message.text()
            case 2: text = try message.text()
            default: try message.skip()
            }
        }
        return .refused(code: code, message: text)
    }
}

extension MessageWriter {
    fileprivate mutating func write(_ version: StreamVersion, _ sequence: LogSequence) {
        self.write(version.rawValue, 1)
        self.write(sequence.rawValue, 2)
    }
}
