import AppStoreSimulator
import ServiceLifecycle
import StrictJSON
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
        // What reviewers have in Sandbox is no subscription of the app's.
        let ids = self.simulator.truths.ids(first: .max).filter { id in
            let truth = self.simulator.truths.truth(of: id)
            return truth?.environment == nil && truth?.status(at: now) != nil
        }
        var states: [String: Int] = [:]
        var agreement = DemoSummary.Agreement()
        for start in stride(from: 0, to: ids.count, by: Self.checksPerRequest) {
            let batch = ids[start..<min(start + Self.checksPerRequest, ids.count)]
            var open = Array(batch)
            // What has arrived between the answer and the look at what has is asked about again.
            for isLast in [false, true] where !open.isEmpty {
                let (asOf, results) = try await self.questions.check(open)
                let moment = asOf.flatMap { Moment(rfc3339: $0) } ?? now
                let asked = open
                open = []
                for (id, result) in zip(asked, results) {
                    let state = result["state"]?.plain
                    switch self.verdict(on: id, state, at: moment) {
                    case .equal: agreement.equal += 1
                    case .onTheWay: agreement.onTheWay += 1
                    case .givenUp: agreement.givenUp += 1
                    case .unexplained where isLast: agreement.unexplained.append(id)
                    case .unexplained:
                        open.append(id)
                        continue
                    }
                    states[state ?? "unknown", default: 0] += 1
                    agreement.all += 1
                }
                self.figures.count(checks: results.count)
            }
            try await Task.sleep(for: Self.pause)
        }
        self.figures.set(states: states, agreement: agreement)
        if let freshness = meter.read(try await self.questions.metrics()) { self.figures.set(freshness: freshness) }
    }

    private enum Verdict { case equal, onTheWay, givenUp, unexplained }

    private func verdict(on id: String, _ state: String?, at moment: Moment) -> Verdict {
        guard let truth = self.simulator.truths.truth(of: id) else { return .unexplained }
        if truth.standing(at: moment)?.state.rawValue == state { return .equal }
        // The store itself has not got so far.
        guard moment <= self.simulator.truths.settled else { return .onTheWay }
        let entries = self.simulator.deliveries.entries(about: id)
        let deciding = truth.deciding(at: moment, among: entries.map(\.telling))
        let missing = entries.filter { $0.state != .arrived && deciding.contains($0.telling) }
        guard !missing.isEmpty else { return .unexplained }
        return missing.contains { $0.state == .givenUp } ? .givenUp : .onTheWay
    }
}
