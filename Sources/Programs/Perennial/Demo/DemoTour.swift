import AppStoreSimulator
import Foundation
import ServiceLifecycle
import Subscriptions

/// Tells the person in front of the demo what to try, what happens to the customers with names, and how it goes.
struct DemoTour: Service {
    let simulator: AppStoreSimulator
    let simulatorPort: Announcement<Int>
    let questions: DemoQuestions
    let figures: DemoFigures
    let introduction: DemoIntroduction
    let entitlements: [String]
    let folder: DemoFolder
    let earlier: DemoTotals
    let status: StatusLine

    private static let pause = Duration.milliseconds(50)
    /// A customer with a name is shown if one gets access in this time; then anybody who has it.
    private static let patience = Duration.seconds(3)

    func run() async throws {
        try await untilGracefulShutdown {
            guard let port = await self.simulatorPort.value() else { return }
            let simulator = "http://127.0.0.1:\(port)"
            let start = ContinuousClock.now
            self.introduction.head(simulator: simulator, width: Self.width).forEach(self.status.print)
            var follower = CustomerFollower(customers: self.introduction.customers, questions: self.questions)
            var pulse = Pulse(checks: self.figures.current.checks)
            var isIntroduced = false
            while !Task.isCancelled {
                // What cannot be asked now is asked in the next round.
                if isIntroduced {
                    await follower.lines().forEach { self.status.print($0.wrapped(to: Self.width)) }
                } else if let sample = try? await self.sample(isNamed: .now - start < Self.patience) {
                    let lines = self.introduction.lines(
                        sample: sample, first: .now - start, simulator: simulator, width: Self.width)
                    lines.forEach(self.status.print)
                    isIntroduced = true
                }
                if let rate = pulse.beat(every: self.status.interval, checks: self.figures.current.checks) {
                    try? await follower.healthLine().map { self.status.print($0.wrapped(to: Self.width)) }
                    let summary = self.summary(checksPerSecond: rate)
                    self.folder.write(summary.totals)
                    self.status.show(
                        isIntroduced ? summary.line : "\(summary.time) | waiting for a first customer to buy")
                }
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    /// What there is to say, and to keep, when the last notification is through.
    func sayGoodbye() {
        let summary = self.summary(checksPerSecond: nil)
        self.folder.write(summary.totals)
        self.status.end()
        self.status.print("")
        summary.sentences.forEach { self.status.print($0.wrapped(to: Self.width)) }
    }

    /// For what people read. Files are no narrower than a line of it.
    private static var width: Int { Console.width ?? 110 }

    /// As of now.
    private func summary(checksPerSecond: Int?) -> DemoSummary {
        let statistics = self.simulator.statistics
        let figures = self.figures.current
        var summary = DemoSummary(now: statistics.now)
        summary.totals = self.earlier.adding(statistics, checks: figures.checks)
        summary.waiting = statistics.waiting
        summary.isLossy = self.introduction.isLossy
        summary.states = figures.states
        summary.agreement = figures.agreement
        summary.customers = figures.customers
        summary.checksPerSecond = checksPerSecond
        summary.freshness = figures.freshness
        summary.followed = figures.followed
        summary.posted = figures.posted
        return summary
    }

    /// Somebody who has access by the node's own word: commands that name them work.
    private func sample(isNamed: Bool) async throws -> DemoIntroduction.Sample? {
        var customers = self.introduction.customers.map(\.id)
        if !isNamed {
            customers += self.simulator.customers.customers(after: nil, limit: 100)?.customers.map(\.id) ?? []
        }
        let results = try await self.questions.check(customers: customers).results
        for (customer, result) in zip(customers, results) where result["entitled"]?.plain == "true" {
            guard let by = result["by"], by["kind"]?.plain == "subscription", let id = by["id"]?.plain else { continue }
            return DemoIntroduction.Sample(
                customer: customer, originalTransactionID: id, entitlement: try await self.entitlement(grantedBy: id))
        }
        return nil
    }

    private func entitlement(grantedBy id: String) async throws -> String? {
        for entitlement in self.entitlements {
            let result = try await self.questions.check([id], entitlement: entitlement).results.first
            if result?["entitled"]?.plain == "true" { return entitlement }
        }
        return nil
    }
}
