import Customers
import Entitlements
import EventLog
import ServiceContract
import Subscriptions
import WireProtocol

/// A stream as a shard knows it: as committed, or as decided on top of that.
package struct StreamEntry: Sendable {
    var state: StreamState
    /// Of a stream that holds what people have said, whose `state` is empty; nil of any other.
    var publisher: PublisherState?
    var version: StreamVersion
    /// Of the stream's newest event.
    var sequence: LogSequence
    var nextDue: Moment?
    /// The row of entitlements of the newest event: what the stream was told. Empty where no check asks.
    var told: [UInt8]
    /// It was told by the catalog of now.
    var knowsCatalog = false

    /// A stream without an event.
    init(key: StreamKey) {
        self.state = StreamState(key: key)
        self.publisher = PublisherState(of: key.kind)
        self.version = .zero
        self.sequence = .zero
        self.told = []
    }

    /// A stream's row with its state decoded.
    init(_ row: StreamRow, state: StreamState, publisher: PublisherState? = nil) {
        self.state = state
        self.publisher = publisher
        self.version = row.version
        self.sequence = row.sequence
        self.nextDue = row.nextDue.map(Moment.init(milliseconds:))
        self.told = row.entitlement
    }

    var place: SubmissionOutcome.Place {
        SubmissionOutcome.Place(version: self.version, sequence: self.sequence)
    }

    /// Folds one event of the stream.
    /// - Parameter moment: when it is recorded.
    mutating func apply(_ event: SubscriptionEvent, at moment: Moment) {
        if self.publisher == nil { self.state.apply(event) } else { self.publisher?.apply(event, at: moment) }
    }

    /// The state as its row has it.
    func storedState() throws(WireError) -> [UInt8] {
        switch self.publisher {
        case .customer(let state): try StoredCustomerState(state).protoBytes()
        case .identifier(let state): try StoredRegisteredIdentifier(state).protoBytes()
        case nil: StoredState(self.state).protoBytes()
        }
    }

    /// What the stream's timer has to record next.
    func nextTransition(rules: DerivationRules) -> Transition? {
        self.nextDue.flatMap { self.state.nextTransition(after: $0 - Milliseconds(rawValue: 1), rules: rules) }
    }

    /// The state that counts in the gauges: what was true when its last announced transition had been recorded. It
    /// stays the same until the next one is, so a stream is never counted twice.
    /// - Parameter fingerprint: of `rules`: what was told by others counts as it was told.
    func countedState(
        at now: Moment, rules: DerivationRules, _ fingerprint: RulesFingerprint
    ) -> LifecycleState? {
        let moment = min(now, (self.nextDue ?? .distantFuture) - Milliseconds(rawValue: 1))
        if EntitlementRow.fingerprint(of: self.told) != fingerprint, let row = try? EntitlementRow(decoding: self.told)
        {
            return row.answer(at: moment).state
        }
        return self.state.lifecycleState(at: moment, rules: rules)
    }
}
