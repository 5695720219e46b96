import AppStoreSimulator
import Synchronization

/// Ask all nodes for subscriptions while notifications come in. No answer of an owner may be older than what an owner told
/// anybody before it was asked for, and no answer at all older than the token that it was asked for with.
final class OwnerReaders: Sendable {
    private struct Known {
        /// The newest that an owner told.
        var version = 0
        /// The newest that a view told, and its token. A check may tell of more than its own token names.
        var named = 0
        var token: String?

        /// What an answer must not be older than.
        func bound(of question: OwnerQuestion) -> Int {
            switch question {
            case .view, .check, .checkAtLeast: self.version
            case .localCheckAtLeast: self.named
            }
        }

        mutating func add(_ version: Int, _ token: String?, in question: OwnerQuestion) {
            switch question {
            case .view:
                if version > self.named { (self.named, self.token) = (version, token) }
                self.version = max(self.version, version)
            case .check, .checkAtLeast: self.version = max(self.version, version)
            case .localCheckAtLeast: break
            }
        }
    }

    private struct State {
        var known: [String: Known] = [:]
        var answers: [History.OwnerAnswer] = []
        /// How many of them could have been too old, by node.
        var counts: [String: [OwnerQuestion: Int]] = [:]
        var strange: [String] = []
        var isEnding = false
    }

    private let nodes: [SupervisedNode]
    private let subscriptions: [String]
    private let state = Mutex(State())

    /// Asks for those that hear the most.
    init(_ notifications: [SignedNotification], of nodes: [SupervisedNode]) {
        self.nodes = nodes
        let counts = notifications.filter { $0.status != nil }.compactMap(\.originalTransactionID)
            .reduce(into: [:]) { $0[$1, default: 0] += 1 }
        self.subscriptions = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(24).map(\.key)
    }

    var answers: [History.OwnerAnswer] { self.state.withLock(\.answers) }
    /// What is neither an answer nor a refusal for the moment.
    var strange: [String] { self.state.withLock(\.strange) }

    /// Asks until `end()`: whoever waits for the answer to one question goes on with the others.
    func run() async throws {
        self.state.withLock { $0.isEnding = false }
        try await withThrowingTaskGroup { group in
            for node in self.nodes {
                for question in OwnerQuestion.allCases { group.addTask { try await self.ask(question, of: node) } }
            }
            try await group.waitForAll()
        }
    }

    func end() { self.state.withLock { $0.isEnding = true } }

    /// Returns when each of these nodes has given so many more answers to each question, any of which could have been too
    /// old.
    func untilAnswered(_ count: Int, by nodes: [SupervisedNode]) async throws {
        let start = self.state.withLock(\.counts)
        func isWaiting(_ node: SupervisedNode) -> Bool {
            let now = self.state.withLock { $0.counts[node.name] ?? [:] }
            let before = start[node.name] ?? [:]
            return OwnerQuestion.allCases.contains { now[$0, default: 0] < before[$0, default: 0] + count }
        }
        while nodes.contains(where: isWaiting) { try await Task.sleep(for: .milliseconds(20)) }
    }

    private func ask(_ question: OwnerQuestion, of node: SupervisedNode) async throws {
        while !self.state.withLock(\.isEnding) {
            for subscription in self.subscriptions.shuffled() where !self.state.withLock(\.isEnding) {
                await self.ask(question, of: node, about: subscription)
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func ask(_ question: OwnerQuestion, of node: SupervisedNode, about subscription: String) async {
        let known = self.state.withLock { $0.known[subscription] ?? Known() }
        guard let process = node.node,
            let reply = try? await question.ask(process, about: subscription, atLeast: known.token)
        else { return }
        let bound = known.bound(of: question)
        switch reply {
        case .answer(let version, let token):
            let answer = History.OwnerAnswer(
                node: node.name, subscription: subscription, atLeast: bound, version: version)
            self.state.withLock { state in
                state.answers.append(answer)
                if bound > 0 { state.counts[node.name, default: [:]][question, default: 0] += 1 }
                state.known[subscription, default: Known()].add(version, token, in: question)
            }
        case .refusal: return
        case .strange(let text): self.state.withLock { $0.strange.append("\(node.name): \(text)") }
        }
    }
}
