import AppStoreSimulator
import Logging
import ServiceLifecycle
import Subscriptions
import Testing

/// Runs a simulator for as long as `body` takes, which begins when the simulation has caught up with the present.
func withCaughtUpSimulator(
    _ configuration: SimulatorConfiguration, _ body: (AppStoreSimulator, _ port: Int) async throws -> Void
) async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let simulator = try AppStoreSimulator(configuration, logger: logger) { port.yield($0) }
    let group = ServiceGroup(services: [simulator], logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        var running = ports.makeAsyncIterator()
        let port = try #require(await running.next())
        while simulator.truths.settled < SimulatedTime.realNow() - .minutes(1) {
            try await Task.sleep(for: .milliseconds(5))
        }
        try await body(simulator, port)
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}
