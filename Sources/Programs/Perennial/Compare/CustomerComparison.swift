import ServiceContract
import StrictJSON
import Subscriptions

/// Asks a node and the simulated store what each of the publisher's customers may use now.
struct CustomerComparison {
    let node: NodeClient
    let store: SimulatedStore
    /// How current the node's answers have to be.
    let consistency: Consistency

    private static let batch = 100
    private static let concurrency = 16
    /// The world may go on between the two questions: what cannot be explained is asked again.
    private static let tries = 5
    /// What a node of a cluster has heard of others may be as old as `stream.staleness`, two seconds.
    private static let triesOfLocal = 20
    private static let pause = Duration.milliseconds(200)
    /// A node that has just started, or has lost an owner, asks to be asked again.
    private static let patienceWithNode = Duration.seconds(30)
    /// A node by the same clock is ahead by what the simulation has yet to write down.
    private static let patience = Duration.seconds(10)

    /// What was said about one customer: of each environment that they have something in, how it differs.
    typealias Finding = [[Difference]]

    private struct Answer {
        let differences: [Difference]
        let otherEnvironments: [String]
    }

    /// - Parameter found: called for one after the other, in the order in which they became known.
    func run(_ found: (Finding) -> Void) async throws {
        var next: String?
        repeat {
            let page = try await self.store.customers(after: next)
            for start in stride(from: 0, to: page.ids.count, by: Self.batch) {
                let ids = Array(page.ids[start..<min(start + Self.batch, page.ids.count)])
                for finding in try await self.compare(ids, in: page.environment) { found(finding) }
            }
            next = page.next
        } while next != nil
    }

    /// In the store's environment, and in those where somebody has something else.
    private func compare(_ ids: [String], in environment: String) async throws -> [Finding] {
        let answers = try await self.answers(about: ids, in: environment)
        var findings = answers.map { [$0.differences] }
        for other in Set(answers.flatMap(\.otherEnvironments)).sorted() {
            let positions = answers.indices.filter { answers[$0].otherEnvironments.contains(other) }
            let more = try await self.answers(about: positions.map { ids[$0] }, in: other)
            for (position, answer) in zip(positions, more) { findings[position].append(answer.differences) }
        }
        return findings
    }

    /// In the order of the ids.
    private func answers(about ids: [String], in environment: String) async throws -> [Answer] {
        var answers = try await self.ask(ids, in: environment)
        for _ in 1..<(self.consistency == .local ? Self.triesOfLocal : Self.tries) {
            let doubtful = answers.indices.filter { answers[$0].differences.contains { $0.reason == nil } }
            guard !doubtful.isEmpty else { break }
            try await Task.sleep(for: Self.pause)
            let again = try await self.ask(doubtful.map { ids[$0] }, in: environment)
            for (position, answer) in zip(doubtful, again) { answers[position] = answer }
        }
        return answers
    }

    /// The node first: it answers about its now, and the store about any moment.
    private func ask(_ ids: [String], in environment: String) async throws -> [Answer] {
        let answer = try await self.checkUntilAnswered(ids, in: environment)
        guard let asOf = answer["asOf"]?.plain.flatMap({ Moment(rfc3339: $0) }),
            let results = answer["results"]?.items, results.count == ids.count
        else { throw CommandFailure("the node's answer cannot be read; is it of another version?") }
        try await self.awaitStore(asOf)
        return try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            var answers: [Int: Answer] = [:]
            func start(_ number: Int) {
                guard number < ids.count else { return }
                group.addTask {
                    (number, try await self.answer(about: ids[number], results[number], at: asOf, in: environment))
                }
            }
            for number in 0..<Self.concurrency { start(number) }
            var started = Self.concurrency
            while let (number, answer) = try await group.next() {
                start(started)
                started += 1
                answers[number] = answer
            }
            return ids.indices.compactMap { answers[$0] }
        }
    }

    private func answer(
        about id: String, _ result: JSONFragment, at moment: Moment, in environment: String
    ) async throws -> Answer {
        if let code = result["error"]?["code"]?.plain {
            throw CommandFailure("\(code): the node answers nothing about customer \(id.escapingControls)")
        }
        let truth = try await self.store.answer(aboutCustomer: id, at: moment)
        let pair = CustomerAnswerPair(environment: environment, node: result, store: truth)
        return Answer(differences: pair.differences, otherEnvironments: pair.otherEnvironments)
    }

    private func checkUntilAnswered(_ ids: [String], in environment: String) async throws -> JSONFragment {
        let deadline = ContinuousClock.now + Self.patienceWithNode
        while true {
            do {
                let answer = try await self.check(ids, in: environment)
                let codes = (answer["results"]?.items ?? []).compactMap { $0["error"]?["code"]?.plain }
                guard codes.contains(where: Self.isRetryable), .now < deadline else { return answer }
            } catch let failure as CommandFailure {
                guard failure.isRetryable, .now < deadline else { throw failure }
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private static func isRetryable(_ code: String) -> Bool {
        ServiceError.Code(rawValue: code)?.isRetryable ?? false
    }

    private func check(_ ids: [String], in environment: String) async throws -> JSONFragment {
        let body = JSONWriter.text { json in
            json.member("checks") { json in
                json.array { json in
                    for id in ids {
                        json.object { json in
                            json.member("customer", id)
                            json.member("environment", environment)
                        }
                    }
                }
            }
            json.member("consistency", self.consistency.rawValue)
        }
        return try await self.node.post(["v1", "check"], body: body)
    }

    private func awaitStore(_ moment: Moment) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while try await self.store.now() < moment {
            guard .now < deadline else {
                throw CommandFailure(
                    "the node's clock is ahead of the simulation's, which has not come to \(moment.rfc3339); does the "
                        + "node live by it (serve --simulation)?")
            }
            try await Task.sleep(for: Self.pause)
        }
    }
}
