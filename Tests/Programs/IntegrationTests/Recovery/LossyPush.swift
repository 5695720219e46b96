import AppStore
import AppStoreSimulator
import EventLog
import Foundation
import HTTPAPI
import Logging
import Perennial
import PrometheusMetrics
import Reconciliation
import SQLiteStore
import ServiceContract
import ServiceLifecycle
import SubscriptionService
import Subscriptions
import Testing
import Webhooks

/// A simulated App Store that posts to a node over HTTP, on a way where much goes wrong, and is asked by it.
struct LossyPush: Sendable {
    let environment: AppStoreEnvironment
    var subscribers: Int
    /// Simulated seconds in a real one. Within the time that the history goes back the node has to have looked at it once,
    /// however starved it is.
    var speed: Double
    /// How long customers live before the last comparison.
    var lived: Milliseconds

    /// `PERENNIAL_LOSSY_PUSH_SECONDS` tells how long customers live in real time, slowly then; shortly and fast unless it
    /// is set.
    static let seconds = ProcessInfo.processInfo.environment["PERENNIAL_LOSSY_PUSH_SECONDS"].flatMap(Double.init)
    /// Minutes.
    static let timeLimit = 20 + Int((Self.seconds ?? 0) / 30)

    /// Of customers who live on while the last comparison is made.
    private static let rest = Milliseconds.days(5)

    /// Runs both for as long as `body` takes.
    func run(_ body: @escaping @Sendable (SimulatedApple, SubscriptionService) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let port = try ReservedPort()
        var configuration = SimulatorConfiguration(keysDirectory: directory.file("apple"))
        configuration.store = StoreIdentity(environment: self.environment)
        configuration.subscribers = self.subscribers
        configuration.speed = self.speed
        configuration.past = Milliseconds(rawValue: self.lived.rawValue + Self.rest.rawValue)
        configuration.horizon = .none
        configuration.outages = .livedThroughInRealTime
        configuration.limits = 1
        configuration.disturbances = Disturbances(lose: 0.3, repeat: 0.3, delay: 0.3, reorder: 1)
        configuration.deliverTo = ["http://127.0.0.1:\(port.number)/v1/apple/notifications"]
        try await SimulatedApple.run(configuration) { apple in
            let store = try SQLiteEventStore(configuration: SQLiteConfiguration(path: directory.file("store.db")))
            // A node was there until just before.
            let start = apple.simulator.time.start
            try await store.setBookmarks([
                Coverage.name(of: apple.account.bundleID, apple.account.environment): Coverage(
                    until: start, failuresUntil: start
                ).bytes
            ])
            let service = try apple.service(store)
            try await Self.serve(service, of: store, on: port) { try await body(apple, service) }
            try store.close()
        }
    }

    private static func serve(
        _ service: SubscriptionService, of store: any EventStore, on port: ReservedPort,
        _ body: @Sendable () async throws -> Void
    ) async throws {
        let logger = Logger(label: "node") { _ in SwiftLogNoOpLogHandler() }
        let server = try APIServer(
            service: service,
            webhooks: WebhookRegistry(
                store: store, transport: HTTPWebhookTransport(OutboundGuard(), agent: "test")),
            configuration: Configuration(main: .init(port: port.number)),
            registry: PrometheusRegistry(), logger: logger, onListening: { _ in port.release() })
        let node = ServiceGroup(configuration: .init(services: [service, server], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await node.run() }
            while !service.readiness(for: .ingest).ready { try await Task.sleep(for: .milliseconds(10)) }
            let result: Result<Void, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            await node.triggerGracefulShutdown()
            try? await group.waitForAll()
            try result.get()
        }
    }
}
