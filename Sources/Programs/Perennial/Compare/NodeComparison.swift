import AppStoreSimulator
import Subscriptions

/// Asks a node and the simulated store about everything sold, at the same moments.
struct NodeComparison {
    let node: NodeClient
    let store: SimulatedStore
    /// How many random moments there are for each, from its sale on.
    let randomMoments: Int
    let seed: UInt64
    let furtherMoments: [Moment]

    /// What was said about one thing sold: of each answer, how it differs.
    struct Finding: Sendable {
        let isPurchase: Bool
        let answers: [[Difference]]
    }

    private static let concurrency = 16
    /// The world may go on between the two questions: what cannot be explained is asked again.
    private static let tries = 3

    /// - Parameter found: called for one after the other, in the order of sale.
    func run(_ found: (Finding) -> Void) async throws {
        var page = try await self.store.page(after: nil)
        let now = page.now
        if let late = self.furtherMoments.first(where: { $0 > now }) {
            throw CommandFailure("--at \(late.rfc3339) lies after the simulation's now, \(now.rfc3339)")
        }
        while true {
            try await self.compare(page, at: now, found)
            guard let next = page.next else { return }
            page = try await self.store.page(after: next)
        }
    }

    private func compare(_ page: SimulatedStore.Page, at now: Moment, _ found: (Finding) -> Void) async throws {
        let items = page.items.filter { $0.since <= now }
        try await withThrowingTaskGroup(of: (Int, Finding).self) { group in
            var findings: [Int: Finding] = [:]
            var following = 0
            func startNext(_ number: Int) {
                guard number < items.count else { return }
                group.addTask { (number, try await self.compare(items[number], of: page, at: now)) }
            }
            for number in 0..<Self.concurrency { startNext(number) }
            var started = Self.concurrency
            while let (number, finding) = try await group.next() {
                startNext(started)
                started += 1
                findings[number] = finding
                while let next = findings.removeValue(forKey: following) {
                    found(next)
                    following += 1
                }
            }
        }
    }

    private func compare(
        _ item: SimulatedStore.Item, of page: SimulatedStore.Page, at now: Moment
    ) async throws -> Finding {
        let moments = self.moments(for: item, until: now)
        var finding = try await self.ask(about: item, of: page, at: moments)
        for _ in 1..<Self.tries where finding.answers.joined().contains(where: { $0.reason == nil }) {
            finding = try await self.ask(about: item, of: page, at: moments)
        }
        return finding
    }

    /// The store first: what it has delivered by then, the node has to know.
    private func ask(
        about item: SimulatedStore.Item, of page: SimulatedStore.Page, at moments: [Moment]
    ) async throws -> Finding {
        let truths = try await self.store.answers(about: item.id, at: moments)
        var answers: [[Difference]] = []
        for (moment, truth) in zip(moments, truths) {
            let answer = try await self.node.find(
                [item.isPurchase ? "purchases" : "subscriptions", item.id],
                query: [("at", moment.rfc3339), ("environment", item.environment), ("bundleId", page.bundleID)])
            answers.append(AnswerPair(isPurchase: item.isPurchase, node: answer, store: truth).differences)
        }
        return Finding(isPurchase: item.isPurchase, answers: answers)
    }

    /// Those of one thing sold do not depend on what else was sold.
    private func moments(for item: SimulatedStore.Item, until now: Moment) -> [Moment] {
        let stream = item.id.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        var random = SeededGenerator(seed: self.seed, stream: stream)
        let drawn = (0..<self.randomMoments).map { _ in
            Moment(milliseconds: random.within(item.since.milliseconds...now.milliseconds))
        }
        return ([now] + self.furtherMoments.filter { $0 >= item.since } + drawn).sorted()
    }
}
