import AppStoreSimulator
import Foundation
import Hummingbird
import Logging
import NIOCore
import PerennialTestSupport
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
        let router = Router()
        router.post("/v1/apple/notifications") { request, _ in
            self.answer(try await request.body.collect(upTo: 1 << 20))
        }
        return try await router.serve { address in
            var configuration = configuration
            configuration.deliverTo = ["\(address)/v1/apple/notifications"]
            let simulator = try AppStoreSimulator(configuration, logger: logger)
            let store = ServiceGroup(services: [simulator], logger: logger)
            async let living: Void = store.run()
            while !isDone(simulator.statistics) { try await Task.sleep(for: .milliseconds(5)) }
            await store.triggerGracefulShutdown()
            try await living
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
