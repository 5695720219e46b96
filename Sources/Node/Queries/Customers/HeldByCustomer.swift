import Customers
import ServiceContract
import Subscriptions

/// What leads to one customer, as it is stored.
struct HeldByCustomer {
    struct Stream {
        var outlook: Outlook
        var because: Resolution.Reason
        var countsInProduction: Bool
        /// The streams in whose place it goes on, its predecessor first.
        var superseded: [StreamKey]

        /// As a check by customer looks at it from `moment` on.
        func held(from moment: Moment) -> HeldStream {
            HeldStream(
                self.outlook, from: moment, countsInProduction: self.countsInProduction, superseded: self.superseded)
        }
    }

    var streams: [Stream] = []
    /// Registered by the customer, or by one who has moved to it.
    var identifiers: [RegistrableIdentifier] = []
    var conflicts: [StreamKey] = []
    /// Of the customer's own stream, then of those whose move here is not settled; none where it has been moved itself.
    var states: [CustomerState] = []
    var hasRecord = false
    var movedTo: CustomerID?

    var standing: CustomerResult.Standing {
        if let movedTo { return .moved(to: movedTo) }
        return self.hasRecord || !self.streams.isEmpty || !self.identifiers.isEmpty ? .known : .unknown
    }

    /// What the customer was told that it pays for twice.
    var duplicatePayments: [DuplicatePayment] { self.states.first?.duplicatePayments ?? [] }

    /// The customer's own go before those of the others.
    var attributes: [String: AttributeValue] {
        self.states.reduce(into: [:]) { all, state in all.merge(state.attributes) { own, _ in own } }
    }
}
