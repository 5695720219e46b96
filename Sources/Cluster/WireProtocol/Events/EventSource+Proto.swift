import Subscriptions

extension EventSource {
    init(number: Int) throws(WireError) {
        switch ProtoSource(rawValue: number) {
        case .notification: self = .notification
        case .statuses: self = .statuses
        case .history: self = .history
        case .client: self = .client
        case .timer: self = .timer
        case .person: self = .person
        case .rules: self = .rules
        case .unspecified: throw WireError(.malformed, "an event without a source")
        case .UNRECOGNIZED, nil: throw WireError(.unknownWord, "number \(number) of \(ProtoSource.self)")
        }
    }

    var proto: ProtoSource {
        switch self {
        case .notification: .notification
        case .statuses: .statuses
        case .history: .history
        case .client: .client
        case .timer: .timer
        case .person: .person
        case .rules: .rules
        }
    }
}
