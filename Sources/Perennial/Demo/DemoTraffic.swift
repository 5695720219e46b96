import AppStoreSimulator
import JSONScanning
import ServiceLifecycle
import Subscriptions

/// Asks the node over HTTP what apps and services would ask: who is entitled, about everybody, round after round; and
/// compares each answer with what the store has.
struct DemoTraffic: Service {
    let simulator: AppStoreSimulator
    let questions: DemoQuestions
    let figures: DemoFigures

    private static let checksPerRequest = 50
    private static let pause = Duration.milliseconds(50)

    func run() async throws {
        try await untilGracefulShutdown {
            var meter = FreshnessMeter(speed: self.simulator.configuration.speed)
            while !Task.isCancelled {
                try await Task.sleep(for: Self.pause)
                // The node may still be starting.
                try? await self.askAboutEverybody(&meter)
            }
        }
    }

    private func askAboutEverybody(_ meter: inout FreshnessMeter) async throws {
        let now = self.simulator.time.now
        let ids = self.simulator.truths.ids(first: .max).filter { id in
            self.simulator.truths.truth(of: id)?.status(at: now) != nil
        }
        var states: [String: Int] = [:]
        var agreement = DemoSummary.Agreement()
        for start in stride(from: 0, to: ids.count, by: Self.checksPerRequest) {
            let batch = ids[start..<min(start + Self.checksPerRequest, ids.count)]
            let (asOf, results) = try await self.questions.check(batch)
            let moment = asOf.flatMap { Moment(rfc3339: $0) } ?? now
            for (id, result) in zip(batch, results) {
                let state = result["state"]?.plain
                states[state ?? "unknown", default: 0] += 1
                agreement.all += 1
                let truth = self.simulator.truths.truth(of: id)?.standing(at: moment)?.state.rawValue
                agreement.equal += state == truth ? 1 : 0
            }
            self.figures.count(checks: results.count)
            try await Task.sleep(for: Self.pause)
        }
        self.figures.set(states: states, agreement: agreement)
        if let freshness = meter.read(try await self.questions.metrics()) { self.figures.set(freshness: freshness) }
    }
}
