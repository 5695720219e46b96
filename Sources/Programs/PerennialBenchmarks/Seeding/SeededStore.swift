/// A store with subscriptions that are entitled, ready for a node.
struct SeededStore: Sendable {
    let path: String
    let ids: SubscriptionIDs
}
