import EntitlementStream
import PrometheusMetrics
import ServiceLifecycle
import SubscriptionService
import Webhooks

/// A node, put together and not yet running.
struct Server {
    /// What the node consists of, each after what it depends on.
    let services: [any Service]
    let subscriptions: SubscriptionService
    /// What `/metrics` shows.
    let registry: PrometheusRegistry
    /// nil where nothing is published.
    let publisher: Publisher?
    let webhooks: WebhookRegistry
}
