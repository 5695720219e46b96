package import Subscriptions

/// Why Apple is asked about a subscription; what a difference is counted under.
package enum AskReason: String, Hashable, Sendable, CaseIterable {
    /// The paid period is over, and no renewal has been heard of.
    case awaitingRenewal
    /// Access ended because nothing was heard.
    case unheard
    /// The answer rests on something that is not known, or that only a client has said.
    case incomplete
    /// Apple's own status and the facts disagree.
    case anomaly
    /// A state ended by time alone.
    case endedByTime
    /// A client has posted what had never been heard of.
    case firstSeen
    /// It was its turn.
    case sweep
    /// Somebody asked for it.
    case request

    /// Whether the state of the subscription says it, for as long as it holds.
    package var isDoubt: Bool {
        switch self {
        case .awaitingRenewal, .unheard, .incomplete: true
        case .anomaly, .endedByTime, .firstSeen, .sweep, .request: false
        }
    }

    package init(_ doubt: Doubt) {
        switch doubt {
        case .awaitingRenewal: self = .awaitingRenewal
        case .unheard: self = .unheard
        case .incomplete: self = .incomplete
        }
    }
}
