import AppStoreSimulator
import Foundation
import Logging
import ServiceLifecycle
import Subscriptions

/// A simulator that runs as long as a test takes.
struct RunningStore {
    let simulator: AppStoreSimulator
    let client: StoreClient

    /// - Parameter isReady: nothing is asked before.
    static func with(
        _ configuration: SimulatorConfiguration,
        once isReady: @escaping @Sendable (AppStoreSimulator) -> Bool = { $0.hasCaughtUp },
        _ body: (RunningStore) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let simulator = try AppStoreSimulator(configuration, logger: logger) { port.yield($0) }
        let group = ServiceGroup(services: [simulator], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await port in ports {
                while !isReady(simulator) { try await Task.sleep(for: .milliseconds(5)) }
                try await body(RunningStore(simulator: simulator, client: StoreClient(simulator, port: port)))
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// One that has caught up with the present, and delivers to nobody.
    static func configuration(
        _ path: String, subscribers: Int = 20, environment: AppStoreEnvironment = .production
    ) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration(keysDirectory: path)
        configuration.subscribers = subscribers
        configuration.speed = 1e9
        configuration.store.environment = environment
        return configuration
    }

    /// `originalTransactionId`s of all that was sold.
    var sold: [String] { self.simulator.truths.ids(first: .max) }
}

extension AppStoreSimulator {
    var hasCaughtUp: Bool {
        self.truths.settled >= SimulatedTime.realNow() - .minutes(1) && !self.statistics.isBehind
    }
}
