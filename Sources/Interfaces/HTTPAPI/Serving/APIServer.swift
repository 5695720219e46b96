package import Logging
package import PrometheusMetrics
import ServiceLifecycle
package import SubscriptionService
package import Webhooks

/// The HTTP side of a node: one listener for backends and, where configured, one for the outside world. It serves
/// while `run()` runs; at a graceful shutdown it takes no more connections, answers what it has begun, and returns.
package struct APIServer: Service {
    /// A listener as it was bound: the port is known when 0 was asked for.
    package struct Endpoint: Hashable, Sendable {
        package let isPublicListener: Bool
        package let host: String
        package let port: Int
        package let isTLS: Bool
    }

    private let listeners: [HTTPListener]
    private let logger: Logger

    /// Starts nothing.
    /// - Parameters:
    ///   - registry: what `/metrics` shows; the API records into it as well.
    ///   - additionalRoutes: served beside the contract's, on the main listener only.
    ///   - onListening: called for each listener when it takes connections.
    /// - Throws: for an unprotected bind, and for TLS files that cannot be used.
    package init(
        service: SubscriptionService, webhooks: WebhookRegistry, configuration: Configuration,
        registry: PrometheusRegistry, logger: Logger,
        additionalRoutes: [Route] = [],
        onListening: @escaping @Sendable (Endpoint) async -> Void = { _ in }
    ) throws(ConfigurationError) {
        try configuration.validate()
        let api = API(
            service: service, webhooks: webhooks, metrics: HTTPMetrics(registry: registry),
            authorizer: Authorizer(tokens: configuration.tokens), backupsKeptFor: configuration.backupsKeptFor)
        var listeners = [
            try HTTPListener(
                configuration.main, setting: "http", isPublicListener: false, api: api,
                routes: Route.all + additionalRoutes,
                limits: configuration.limits,
                browserGuard: BrowserGuard(
                    isUnprotected: configuration.tokens.isEmpty, publicOrigin: configuration.publicOrigin),
                logger: logger, onListening: onListening)
        ]
        if let outside = configuration.outside {
            listeners.append(
                try HTTPListener(
                    outside, setting: "http.public", isPublicListener: true, api: api,
                    routes: Route.all.filter(\.isPublicListener), limits: configuration.limits,
                    browserGuard: BrowserGuard(isUnprotected: false, publicOrigin: configuration.publicOrigin),
                    logger: logger, onListening: onListening))
        }
        self.listeners = listeners
        self.logger = logger
    }

    /// - Throws: `ConfigurationError` when an address cannot be listened on.
    package func run() async throws {
        try await ServiceGroup(configuration: .init(services: self.listeners, logger: self.logger)).run()
    }
}
