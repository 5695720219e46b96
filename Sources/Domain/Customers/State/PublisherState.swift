package import Subscriptions

/// The fold of a stream that holds what people at the publisher's have said, and no facts of Apple's.
package enum PublisherState: Hashable, Sendable {
    case customer(CustomerState)
    case identifier(RegisteredIdentifier)

    /// Of a stream without an event; nil for streams of other kinds.
    package init?(of kind: StreamKind) {
        switch kind {
        case .customer: self = .customer(CustomerState())
        case .token, .account: self = .identifier(RegisteredIdentifier())
        case .subscription, .purchase, .massExtension, .externalPurchase, .appTransaction, .test: return nil
        }
    }

    /// Folds one recorded event.
    /// - Parameter moment: when it was recorded.
    package mutating func apply(_ event: SubscriptionEvent, at moment: Moment) {
        switch self {
        case .customer(var state):
            guard let record = event.customer else { return }
            state.apply(record, at: moment)
            self = .customer(state)
        case .identifier(var state):
            guard let registration = event.registration else { return }
            state.apply(registration)
            self = .identifier(state)
        }
    }

    package var customer: CustomerState? {
        if case .customer(let state) = self { state } else { nil }
    }

    package var identifier: RegisteredIdentifier? {
        if case .identifier(let state) = self { state } else { nil }
    }

    /// The customer to whom it leads on: that has the identifier, or to whom the customer has been moved.
    package var next: CustomerID? {
        switch self {
        case .customer(let state): state.movedTo
        case .identifier(let state): state.holder
        }
    }
}
