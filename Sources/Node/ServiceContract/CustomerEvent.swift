package import EventLog
package import Subscriptions

/// Something that people have said of a customer, or of what leads there, or a payment that it makes twice.
package struct CustomerEvent: Hashable, Sendable {
    package var shard: ShardID
    package var sequence: LogSequence
    /// Of the stream that has it.
    package var key: StreamKey
    package var event: SubscriptionEvent
    /// When it was recorded.
    package var at: Moment
    /// Of a link or a registration: to whom the stream was linked, or for whom the identifier was registered.
    package var before: CustomerID?
    /// The same, since.
    package var after: CustomerID?

    package init(
        shard: ShardID, sequence: LogSequence, key: StreamKey, event: SubscriptionEvent, at: Moment,
        before: CustomerID?, after: CustomerID?
    ) {
        self.shard = shard
        self.sequence = sequence
        self.key = key
        self.event = event
        self.at = at
        self.before = before
        self.after = after
    }

    /// Names the event in its store.
    package var id: String { "\(self.shard.rawValue)-\(self.sequence.rawValue)" }
}
