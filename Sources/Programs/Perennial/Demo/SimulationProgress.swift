import AppStoreSimulator
import ServiceLifecycle
import Subscriptions

/// Says now and then how a simulation is doing.
struct SimulationProgress: Service {
    let simulator: AppStoreSimulator

    func run() async throws {
        let line = StatusLine()
        try await untilGracefulShutdown {
            while !Task.isCancelled {
                try await Task.sleep(for: line.interval)
                line.show(Self.line(self.simulator.statistics))
            }
        }
        line.end()
    }

    static func line(_ statistics: SimulatorStatistics) -> String {
        let reach = statistics.isReachable ? "" : ", nobody listens at the address of delivery"
        return "\(statistics.now.rfc3339.prefix(16)): \(statistics.customers) customers, "
            + "\(statistics.notifications) notifications, \(statistics.delivered) delivered, "
            + "\(statistics.waiting) waiting\(reach)"
    }
}
