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

    /// A customer's stream is of no app and no environment: what it was told is of those of the answer, or of the two payments.
    private func typeOfAnswer(_ key: StreamKey, for wish: WebhookEndpoint.Wish) -> String? {
        guard key.kind == .customer, let type = wish.type(of: [Change(rawValue: self.kind)], in: key.kind),
            let event = try? SubscriptionEvent(protoBytes: self.body, key: key)
        else { return nil }
        let isIncluded =
            switch event.customer?.content {
            case .told(let change): wish.includes(change)
            case .duplicatePayment(let duplicate), .duplicatePaymentClosed(let duplicate): wish.includes(duplicate)
            case .granted, .revoked, .attributes, .takes, .drops, .taken, .moved, .givesBack, .left, .returned, .stays,
                nil:
                false
            }
        return isIncluded ? type : nil
    }

    /// Of its kind, whoever wants it.
    var type: String {
        StreamKey(bytes: self.key).map { Change(rawValue: self.kind).eventType(of: $0.kind) } ?? ""
    }
}
