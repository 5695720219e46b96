import AppStore
import AsyncHTTPClient
import EntitlementStream
import EventLog
import HTTPAPI
import Logging
import Metrics
import Mirroring
import Ownership
import PrometheusMetrics
import Reconciliation
import ServiceLifecycle
import Shards
import SubscriptionService
import Subscriptions
import Webhooks

extension Server {
    /// Opens the store and puts the services together; nothing runs yet.
    /// - Throws: `CommandFailure` of one line for whatever keeps the node from starting.
    static func build(
        _ configuration: CheckedConfiguration, clock: any WallClock, logger: Logger,
        onListening: @escaping @Sendable (APIServer.Endpoint) async -> Void
    ) throws -> Server {
        OpenFiles.raiseLimit()
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        Gauge(label: "perennial_build_info", dimensions: [("version", BuildInformation.version)]).record(1)

        let apps = try AppDirectory(configuration.apps)
        let revocation = configuration.ocsp ? RevocationChecker(transport: HTTPOCSPTransport(client: .shared)) : nil
        let verifier = PayloadVerifier(apps: apps, revocation: revocation)
        let store = try configuration.store.open(shardCount: configuration.shardCount, logger: logger)
        configuration.report(rootsAt: clock.now, to: logger)
        let apple = ReconciliationMetrics()
        var runtime = configuration.runtime
        runtime.serverAPI = try configuration.serverAPI.map { try $0.client(observer: apple) }
        let publisher = try configuration.stream.map { try Publisher($0) }
        runtime.listener = publisher
        runtime.mirror = configuration.mirror.flatMap { mirror in
            ShardHash(shardCount: store.identity.shardCount).map {
                EntitlementMirror(map: $0, staleness: mirror.staleness)
            }
        }
        let subscriptions = try SubscriptionService(
            store: store, configuration: runtime, clock: clock,
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier.with(PayloadVerifier.allowance), apps: apps),
            verification: VerificationPool(), catalog: configuration.catalog, logger: logger)
        let transport = HTTPWebhookTransport(configuration.outbound, agent: "Perennial/\(BuildInformation.version)")
        let webhooks = WebhookRegistry(
            store: store, outbound: configuration.outbound, transport: transport, clock: SystemClock())
        let couriers = WebhookService(
            store: store, log: subscriptions.servedLog, transport: transport, nodeClock: clock, clock: SystemClock(),
            logger: logger
        ) { $0.webhookBody(as: $1) }
        let http = try APIServer(
            service: subscriptions, webhooks: webhooks, configuration: configuration.http, registry: registry,
            logger: logger,
            onListening: onListening)
        return Server(
            services: [StoreService(store: store), subscriptions]
                + (try Self.streaming(publisher, runtime.mirror, configuration, of: subscriptions, logger))
                + [couriers, http],
            subscriptions: subscriptions, registry: registry, publisher: publisher, webhooks: webhooks)
    }

    private static func streaming(
        _ publisher: Publisher?, _ mirror: EntitlementMirror?, _ configuration: CheckedConfiguration,
        of service: SubscriptionService, _ logger: Logger
    ) throws -> [any Service] {
        guard let publisher else { return [] }
        let stream = StreamService(publisher, serving: service.servedLog)
        guard let mirror else { return [stream] }
        return [
            stream,
            try NodeMirror(
                mirror, publisher: publisher, of: service, advertisedHost: configuration.mirror?.advertisedHost,
                logger: logger),
        ]
    }
}

extension CheckedConfiguration {
    /// Says which roots do not serve now. The clock may be wrong, and what was signed earlier may come: that is no reason not to
    /// start.
    fileprivate func report(rootsAt moment: Moment, to logger: Logger) {
        for root in self.invalidRoots(at: moment) {
            logger.log(
                level: root.leavesNone ? .critical : .warning, "A root certificate is not valid now",
                metadata: ["reason": "\(root.sentence)"])
        }
    }
}

/// Closes the store when everybody else has stopped.
private struct StoreService: Service {
    let store: any EventStore

    func run() async throws {
        try? await gracefulShutdown()
        try self.store.close()
    }
}
