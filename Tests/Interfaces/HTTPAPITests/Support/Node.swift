import AppStore
import CoreMetrics
import Entitlements
import EventLog
import HTTPAPI
import InMemoryStore
import Logging
import PrometheusMetrics
import ServiceContract
import ServiceLifecycle
import Shards
import SubscriptionService
import Subscriptions
import Webhooks

/// A node on an in-memory store: the service and its HTTP side, on free ports.
struct Node {
    let port: Int
    let outsidePort: Int?
    let group: ServiceGroup

    /// Runs a node while `body` runs.
    /// - Parameter shards: those that the node owns; nil for all.
    /// - Parameter apple: whom the node asks; nobody without.
    /// - Parameter servicing: false leaves the service unstarted behind its HTTP side.
    static func run<Result: Sendable>(
        store: any EventStore = InMemoryEventStore(), shards: Set<ShardID>? = nil,
        clock: any WallClock = SystemClock(), configuration: Configuration = .patient(), additionalRoutes: [Route] = [],
        apple: ScriptedApple? = nil,
        servicing: Bool = true, logger: Logger = Self.silentLogger,
        _ body: @Sendable (Node) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        configuration.main.port = 0
        configuration.outside?.port = 0
        let registry = PrometheusRegistry()
        let (endpoints, continuation) = AsyncStream<APIServer.Endpoint>.makeStream()
        return try await withMetricsFactory(registry) {
            let outbound = OutboundGuard(allowing: [Network("127.0.0.0/8")].compactMap(\.self))
            let service = try Self.service(store: store, shards: shards, clock: clock, apple: apple, logger: logger)
            let server = try APIServer(
                service: service,
                webhooks: WebhookRegistry(
                    store: store, outbound: outbound,
                    transport: HTTPWebhookTransport(outbound, agent: "test")),
                configuration: configuration, registry: registry, logger: logger, additionalRoutes: additionalRoutes,
                onListening: { continuation.yield($0) })
            let group = ServiceGroup(
                configuration: .init(services: servicing ? [service, server] : [server], logger: logger))
            let count = configuration.outside == nil ? 1 : 2

            return try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { continuation.finish() }
                    try await group.run()
                }
                var listening: [APIServer.Endpoint] = []
                for await endpoint in endpoints {
                    listening.append(endpoint)
                    if listening.count == count { break }
                }
                guard listening.count == count, let main = listening.first(where: { !$0.isPublicListener }) else {
                    try await tasks.waitForAll()
                    throw HTTPConnection.Closed()
                }
                // Listeners do not wait for the service to have taken its shards.
                while servicing, !service.readiness(for: .ingest).ready {
                    try await Task.sleep(for: .milliseconds(1))
                }
                let node = Node(
                    port: main.port, outsidePort: listening.first { $0.isPublicListener }?.port, group: group)
                do {
                    let result = try await body(node)
                    await group.triggerGracefulShutdown()
                    try await tasks.waitForAll()
                    return result
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
            }
        }
    }

    private static var silentLogger: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    private static func service(
        store: any EventStore, shards: Set<ShardID>?, clock: any WallClock, apple: ScriptedApple?, logger: Logger
    ) throws -> SubscriptionService {
        let apps = try TestStore.shared.get().directory()
        let verifier = PayloadVerifier(apps: apps)
        var configuration = RuntimeConfiguration()
        configuration.shards = shards
        configuration.storePatience = .seconds(3_600)
        configuration.serverAPI = try apple.map { [try $0.client()] } ?? []
        return try SubscriptionService(
            store: store, configuration: configuration, clock: clock,
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier, apps: apps), verification: VerificationPool(threads: 2),
            catalog: Catalog([
                .init(entitlement: "pro", products: ["pro.monthly"]),
                .init(entitlement: "news", products: ["news.monthly"]),
            ]),
            logger: logger)
    }

    /// One request on a connection of its own.
    func send(
        _ method: String, _ path: String, token: String? = nil, headers: [String: String] = [:], body: String? = nil
    ) async throws -> HTTPConnection.Answer {
        var headers = headers
        if let token { headers["Authorization"] = "Bearer \(token)" }
        return try await HTTPConnection.with(port: self.port) { [headers] in
            try await $0.send(method, path, headers: headers, body: body)
        }
    }
}
