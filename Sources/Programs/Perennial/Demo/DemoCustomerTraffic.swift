import AppStoreSimulator
import ServiceLifecycle
import Subscriptions

/// Asks the node over HTTP what each of the app's customers may use, round after round, and compares each answer with the
/// simulation's records.
struct DemoCustomerTraffic: Service {
    let simulator: AppStoreSimulator
    let questions: DemoQuestions
    let figures: DemoFigures

    private static let checksPerRequest = 100
    private static let pause = Duration.milliseconds(50)
    private static let pauseOfRounds = Duration.milliseconds(500)

    func run() async throws {
        try await untilGracefulShutdown {
            while !Task.isCancelled {
                try await Task.sleep(for: Self.pauseOfRounds)
                // The node may still be starting.
                try? await self.askAboutEverybody()
            }
        }
    }

    private func askAboutEverybody() async throws {
        let ids = self.simulator.customers.customers(after: nil, limit: .max)?.customers.map(\.id) ?? []
        var agreement = CustomerAgreement()
        for start in stride(from: 0, to: ids.count, by: Self.checksPerRequest) {
            var open = Array(ids[start..<min(start + Self.checksPerRequest, ids.count)])
            // What has arrived between the answer and the look at what has is asked about again.
            for isLast in [false, true] where !open.isEmpty {
                open = try await self.ask(open, isLast: isLast, &agreement)
            }
            try await Task.sleep(for: Self.pause)
        }
        self.figures.set(customers: agreement)
    }

    /// - Returns: those to be asked about again.
    private func ask(_ ids: [String], isLast: Bool, _ agreement: inout CustomerAgreement) async throws -> [String] {
        let (asOf, results) = try await self.questions.check(customers: ids)
        guard let moment = asOf.flatMap({ Moment(rfc3339: $0) }) else { return [] }
        self.figures.count(checks: results.count)
        var doubtful: [String] = []
        for (id, result) in zip(ids, results) {
            // What the node's settings let count in Production is not in the records.
            guard result["environment"]?.plain != AppStoreEnvironment.sandbox.rawValue,
                let standing = self.simulator.standing(ofCustomer: id, at: moment)
            else { continue }
            if (result["entitled"]?.plain == "true") == standing.isEntitled {
                agreement.equal += 1
            } else if !standing.isTold || moment > self.simulator.truths.settled {
                agreement.untold += 1
            } else if isLast {
                agreement.unexplained.append(id)
            } else {
                doubtful.append(id)
            }
        }
        return doubtful
    }
}
