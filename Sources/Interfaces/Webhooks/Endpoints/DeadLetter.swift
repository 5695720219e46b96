import EventLog
import Subscriptions

/// An event that was not delivered, and is not tried again by itself.
package struct DeadLetter: Codable, Hashable, Sendable {
    /// `SHARD/SEQUENCE`: where in the log the event is, in a form whose order is the list's.
    package var place = ""
    /// `webhook-id`.
    package let message: String
    /// An event type.
    package let type: String
    package let originalTransactionID: String
    package let version: Int64
    /// All that were refused; of those that found nobody the ones since the node took the shard over.
    package let attempts: Int
    /// Of the last attempt.
    package let reason: String
    /// Milliseconds since 1970, of the last attempt.
    package let at: Int64

    private enum CodingKeys: String, CodingKey {
        case message, type, originalTransactionID, version, attempts, reason, at
    }

    /// - Parameter type: under which its endpoint would have been told of it.
    init(
        _ event: StoredEvent, told type: String, in store: StoreIdentity, attempts: Int, reason: String,
        at moment: Int64
    ) {
        self.message = WebhookMessage.id(of: event, in: store)
        self.type = type
        self.originalTransactionID = StreamKey(bytes: event.key)?.id ?? ""
        self.version = event.version.rawValue
        self.attempts = attempts
        self.reason = reason
        self.at = moment
    }
}
