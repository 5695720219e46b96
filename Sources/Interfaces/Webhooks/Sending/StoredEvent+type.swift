import EventLog
import Queries
import SubscriptionService
import Subscriptions
import WireProtocol

extension StoredEvent {
    /// The type under which an endpoint is told of it; nil when it does not want it.
    func type(for wish: WebhookEndpoint.Wish) -> String? {
        guard let key = StreamKey(bytes: self.key), wish.includes(key) else { return nil }
        // The first change stands beside the body, which most need not read.
        if let type = wish.type(of: [Change(rawValue: self.kind)], in: key.kind) { return type }
        return (try? SubscriptionEvent(protoBytes: self.body, key: key)).flatMap { event in
            wish.type(of: event.changes, in: key.kind)
        }
    }

    /// Of its kind, whoever wants it.
    var type: String {
        StreamKey(bytes: self.key).map { Change(rawValue: self.kind).eventType(of: $0.kind) } ?? ""
    }
}
