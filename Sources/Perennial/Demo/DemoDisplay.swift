import AppStoreSimulator
import Foundation
import ServiceLifecycle
import Subscriptions

/// Tells the person in front of the demo what to try, and how it goes.
struct DemoDisplay: Service {
    let simulator: AppStoreSimulator
    let figures: DemoFigures
    let introduction: DemoIntroduction

    /// The commands are shown when they work, or at the latest after this time.
    private static let patience = Duration.seconds(8)

    func run() async throws {
        try await untilGracefulShutdown {
            try await self.awaitFirstEntitlement()
            self.introduction.lines(first: self.figures.current.firstEntitlement).forEach(Console.print)
            let line = StatusLine()
            var last = (checks: self.figures.current.checks, at: ContinuousClock.now)
            while !Task.isCancelled {
                try await Task.sleep(for: line.interval)
                let now = (checks: self.figures.current.checks, at: ContinuousClock.now)
                let rate = Double(now.checks - last.checks) / ((now.at - last.at) / .seconds(1))
                last = now
                line.show(self.summary(checksPerSecond: Int(rate)))
            }
        }
    }

    private func awaitFirstEntitlement() async throws {
        let deadline = ContinuousClock.now + Self.patience
        while self.figures.current.firstEntitlement == nil, .now < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func summary(checksPerSecond: Int) -> String {
        let statistics = self.simulator.statistics
        let figures = self.figures.current
        let states = ["subscribed", "grace", "retry", "expired", "revoked"].compactMap { state in
            figures.states[state].map { "\($0) \(state)" }
        }
        let freshness = figures.freshness.map { "visible in \(Int($0 / .milliseconds(1))) ms" }
        return [
            String(statistics.now.rfc3339.prefix(10)), "\(statistics.delivered) received",
            "\(checksPerSecond) checks/s",
            freshness, states.joined(separator: ", "),
        ].compactMap(\.self).joined(separator: " | ")
    }
}
