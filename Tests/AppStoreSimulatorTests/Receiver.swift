import AppStoreSimulator
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// A publisher's endpoint that notes what comes.
final class Receiver: Sendable {
    private let received = Mutex<[(uuid: String, type: String)]>([])
    private let refused = Mutex<Set<String>>([])
    private let refusesFirst: Bool

    init(refusesFirst: Bool = false) { self.refusesFirst = refusesFirst }

    /// The `notificationUUID`s that were answered with 200, as they came.
    var uuids: [String] { self.received.withLock { $0.map(\.uuid) } }
    /// Their `notificationType`s.
    var types: [String] { self.received.withLock { $0.map(\.type) } }

    /// Runs a simulator against this endpoint until its statistics fulfil a condition; then both shut down gracefully.
    func receive(
        from configuration: SimulatorConfiguration, until isDone: @escaping @Sendable (SimulatorStatistics) -> Bool
    ) async throws -> SimulatorStatistics {
        try await self.stopped(configuration, until: isDone).statistics
    }

    /// The same; returns the simulator as it was left.
    func stopped(
        _ configuration: SimulatorConfiguration, until isDone: @escaping @Sendable (SimulatorStatistics) -> Bool
    ) async throws -> AppStoreSimulator {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.post("/v1/apple/notifications") { request, _ in
            self.answer(try await request.body.collect(upTo: 1 << 20))
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let endpoint = ServiceGroup(services: [application], logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await endpoint.run() }
            var configuration = configuration
            for await port in ports {
                configuration.deliverTo = "http://127.0.0.1:\(port)/v1/apple/notifications"
                break
            }
            let simulator = try AppStoreSimulator(configuration, logger: logger)
            let store = ServiceGroup(services: [simulator], logger: logger)
            async let living: Void = store.run()
            while !isDone(simulator.statistics) { try await Task.sleep(for: .milliseconds(5)) }
            await store.triggerGracefulShutdown()
            try await living
            await endpoint.triggerGracefulShutdown()
            try await group.waitForAll()
            return simulator
        }
    }

    private func answer(_ body: ByteBuffer) -> HTTPResponse.Status {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body.readableBytesView)) as? [String: String],
            let signed = object["signedPayload"],
            let envelope = try? DecodedNotification.payload(signed),
            let uuid = envelope["notificationUUID"] as? String, let type = envelope["notificationType"] as? String
        else { return .badRequest }
        if self.refusesFirst, self.refused.withLock({ $0.insert(uuid).inserted }) { return .serviceUnavailable }
        self.received.withLock { $0.append((uuid, type)) }
        return .ok
    }
}
