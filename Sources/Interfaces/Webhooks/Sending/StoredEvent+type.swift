import EventLog
import Queries
import SubscriptionService
import Subscriptions
import WireProtocol

extension StoredEvent {
    /// The type under which an endpoint is told of it; nil when it does not want it.
    func type(for wish: WebhookEndpoint.Wish) -> String? {
        guard let key = StreamKey(bytes: self.key) else { return nil }
        guard wish.includes(key) else { return self.typeOfAnswer(key, for: wish) }
        // The first change stands beside the body, which most need not read.
        if let type = wish.type(of: [Change(rawValue: self.kind)], in: key.kind) { return type }
        return (try? SubscriptionEvent(protoBytes: self.body, key: key)).flatMap { event in
            wish.type(of: event.changes, in: key.kind)
        }
    }

    /// A customer's stream is of no app and no environment: what it was told is of those of the answer.
    private func typeOfAnswer(_ key: StreamKey, for wish: WebhookEndpoint.Wish) -> String? {
        guard key.kind == .customer, let type = wish.type(of: [Change(rawValue: self.kind)], in: key.kind),
            let event = try? SubscriptionEvent(protoBytes: self.body, key: key),
            case .told(let change) = event.customer?.content, wish.includes(change)
        else { return nil }
        return type
    }

    /// Of its kind, whoever wants it.
    var type: String {
        StreamKey(bytes: self.key).map { Change(rawValue: self.kind).eventType(of: $0.kind) } ?? ""
    }
}
