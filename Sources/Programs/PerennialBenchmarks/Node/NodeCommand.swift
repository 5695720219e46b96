import AppStore
import AppStoreSimulator
import ArgumentParser
import Clustering
import Customers
import Entitlements
import EventLog
import Foundation
import HTTPAPI
import Logging
import Metrics
import Mirroring
import Ownership
import PostgresStore
import PrometheusMetrics
import SQLiteStore
import ServiceContract
import ServiceLifecycle
import Shards
import SubscriptionService
import Subscriptions
import UnixSignals
import Webhooks
import ZeroMQ

/// The node that is measured, in a process of its own: composed as `perennial serve` composes it, with one more route
/// and the bare server beside it. Prints a line for each port, and ends with SIGTERM or with its standard input.
struct NodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "Runs the node that is measured.", shouldDisplay: false)

    @Option(help: "The SQLite file, or the database as postgresql://…")
    var store: String
    @Option(help: "The root certificate that notifications lead to, in DER.")
    var root: String
    @Option(help: "Own this half of the shards, 0 or 1; the other half is a second node's.")
    var half: Int?
    @Flag(help: "Own one shard alone, and answer for the others from a mirror.")
    var mirror = false
    @Option(help: "Own a share of the shards, by a lease, as the node of this name.")
    var leased: String?
    @Option(help: "For how many seconds a lease holds.")
    var lease = 5
    @Option(help: "Give a node nothing that another serves before it has lived for so many seconds.")
    var settling = 1
    @Option(help: "Pretend to be of a release that supports this feature level.")
    var featureLevel: Int?
    @Option(name: .customLong("without"), help: "Go without a rule that promises rest on. Leased nodes only.")
    var removed: [RemovedGuard] = []

    /// Answers as much as a single check does, after the same reading of the body.
    static let fixedPath = "/bench/fixed"
    static let fixedAnswer = Array(
        """
        {"results":[{"entitled":true,"state":"subscribed","code":"5.0","validUntil":"2026-12-04T00:00:00.000Z",\
        "productId":"pro.monthly","version":1}],"asOf":"2026-11-04T00:00:00.000Z","stale":false,\
        "token":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}
        """.utf8)

    /// The same for a check by customer.
    static let fixedCustomerPath = "/bench/fixed-customer"
    static let fixedCustomerAnswer = Array(
        """
        {"results":[{"entitled":true,"entitlement":"pro","state":"granted","code":"2.0",\
        "validUntil":null,"productId":null,"rank":1,"environment":"Production",\
        "by":{"kind":"grant","id":"order","productId":null,"state":"granted","code":"2.0","ownership":null},\
        "incomplete":false}],"asOf":"2026-11-04T00:00:00.000Z","stale":false,\
        "token":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}
        """.utf8)

    func validate() throws {
        guard self.removed.isEmpty || self.leased != nil else {
            throw ValidationError("a guard is taken away from a leased node")
        }
    }

    func run() async throws {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .warning
            return handler
        }
        let logger = Logger(label: "node")
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        let verification = VerificationPool()
        let store = try self.openStore(verification)
        let mirror = self.mirror ? try await StoreMirror.read(store) : nil
        let subscriptions = try self.service(store, mirror, verification, logger: logger)
        let http = try APIServer(
            service: subscriptions,
            webhooks: WebhookRegistry(
                store: store, transport: HTTPWebhookTransport(OutboundGuard(), agent: "benchmark")),
            configuration: .init(main: .init(host: "127.0.0.1", port: 0)), registry: registry, logger: logger,
            additionalRoutes: [
                Route(post: Self.fixedPath) { _ in Self.fixedAnswer },
                Route(post: Self.fixedCustomerPath) { _ in Self.fixedCustomerAnswer },
            ]
        ) { endpoint in
            // Listeners do not wait for the service to have taken its shards.
            while !subscriptions.readiness(for: .ingest).ready { try? await Task.sleep(for: .milliseconds(10)) }
            NodePorts.print(.api, endpoint.port)
        }
        let services: [any Service] = [
            ParentWatch(), ClosingStore(store: store), subscriptions, http, BareServer(logger: logger),
        ]
        let group = ServiceGroup(
            configuration: .init(
                services: services.map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                }, gracefulShutdownSignals: [.sigterm], logger: logger))
        try await group.run()
    }

    private func openStore(_ verification: VerificationPool) throws -> any EventStore {
        guard self.store.hasPrefix("postgresql://") else {
            return try SQLiteEventStore(configuration: SQLiteConfiguration(path: self.store))
        }
        var configuration = PostgresConfiguration(connectionString: self.store)
        if self.removed.contains(.fence) { configuration.guards.remove(.fence) }
        let store = try PostgresEventStore(configuration: configuration)
        guard !self.removed.isEmpty else { return store }
        return UnguardedStore(base: store, removed: Set(self.removed), verification: verification)
    }

    private func configuration(for store: any EventStore) throws -> RuntimeConfiguration {
        var configuration = RuntimeConfiguration()
        if self.mirror { configuration.shards = [ShardID(rawValue: 0)] }
        if let featureLevel { configuration.featureLevel = FeatureLevel(rawValue: featureLevel) }
        if let leased = self.leased {
            configuration.node = NodeID(rawValue: leased)
            configuration.lease = LeaseTerms(length: .seconds(self.lease))
            // What is measured is the loss of a node: a new one need not prove first that it lasts.
            configuration.lease?.settling = .seconds(self.settling)
            if self.removed.contains(.lease) { configuration.lease?.reads = .seconds(3_600) }
            if self.removed.contains(.tokens) { configuration.guards.remove(.tokens) }
        } else if let half = self.half {
            configuration.node = NodeID(rawValue: "half-\(half)")
            configuration.shards = Set(store.identity.shards.filter { Int($0.rawValue) % 2 == half })
        } else {
            return configuration
        }
        configuration.cluster = ClusterConfiguration(
            node: configuration.node, incarnation: Incarnation(rawValue: .random(in: .min ... .max)),
            bind: "tcp://127.0.0.1:*", keys: try CurveKeyPair())
        return configuration
    }

    private func service(
        _ store: any EventStore, _ mirror: EntitlementMirror?, _ verification: VerificationPool, logger: Logger
    ) throws -> SubscriptionService {
        var configuration = try self.configuration(for: store)
        configuration.mirror = mirror
        // Subscriptions of the simulator carry tokens of its own customers.
        configuration.customers.transfer = .transfer
        let apps = try AppDirectory([
            AppIdentity.simulated(root: Array(try Data(contentsOf: URL(filePath: self.root))))
        ])
        let verifier = PayloadVerifier(apps: apps)
        let products = Scenario.default.products.map(\.id)
        return try SubscriptionService(
            store: store, configuration: configuration, clock: SystemClock(),
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier, apps: apps), verification: verification,
            catalog: Catalog([Catalog.Entry(entitlement: CheckBodies.entitlement, products: products)]), logger: logger)
    }
}

/// Closes the store when everybody else has stopped.
private struct ClosingStore: Service {
    let store: any EventStore

    func run() async throws {
        try? await gracefulShutdown()
        try self.store.close()
    }
}

/// Ends when the process that started this one has ended, however it ended: nothing is left behind.
private struct ParentWatch: Service {
    func run() async throws {
        let (ends, continuation) = AsyncStream<Void>.makeStream()
        let thread = Thread {
            while let bytes = try? FileHandle.standardInput.read(upToCount: 1), !bytes.isEmpty {}
            continuation.finish()
        }
        thread.start()
        await cancelWhenGracefulShutdown { for await _ in ends {} }
    }
}
