import Customers
import EventLog
import ServiceContract
import Subscriptions
import WireProtocol

/// A stream as a shard knows it: as committed, or as decided on top of that.
package struct StreamEntry: Sendable {
    var state: StreamState
    /// Of a customer's own stream, whose `state` is empty; nil of any other.
    var customer: CustomerState?
    var version: StreamVersion
    /// Of the stream's newest event.
    var sequence: LogSequence
    var nextDue: Moment?

    /// A stream without an event.
    init(key: StreamKey) {
        self.state = StreamState(key: key)
        self.customer = key.kind == .customer ? CustomerState() : nil
        self.version = .zero
        self.sequence = .zero
    }

    /// A stream's row with its state decoded.
    init(_ row: StreamRow, state: StreamState, customer: CustomerState? = nil) {
        self.state = state
        self.customer = customer
        self.version = row.version
        self.sequence = row.sequence
        self.nextDue = row.nextDue.map(Moment.init(milliseconds:))
    }

    var place: SubmissionOutcome.Place {
        SubmissionOutcome.Place(version: self.version, sequence: self.sequence)
    }

    /// Folds one event of the stream.
    /// - Parameter moment: when it is recorded.
    mutating func apply(_ event: SubscriptionEvent, at moment: Moment) {
        if let record = event.customer { self.customer?.apply(record, at: moment) } else { self.state.apply(event) }
    }

    /// The state as its row has it.
    func storedState() throws(WireError) -> [UInt8] {
        try self.customer.map { state throws(WireError) in try StoredCustomerState(state).protoBytes() }
            ?? StoredState(self.state).protoBytes()
    }

    /// What the stream's timer has to record next.
    func nextTransition(rules: DerivationRules) -> Transition? {
        self.nextDue.flatMap { self.state.nextTransition(after: $0 - Milliseconds(rawValue: 1), rules: rules) }
    }

    /// The state that counts in the gauges: what was true when its last announced transition had been recorded. It
    /// stays the same until the next one is, so a stream is never counted twice.
    func countedState(at now: Moment, rules: DerivationRules) -> LifecycleState? {
        let moment = min(now, (self.nextDue ?? .distantFuture) - Milliseconds(rawValue: 1))
        return self.state.lifecycleState(at: moment, rules: rules)
    }
}
