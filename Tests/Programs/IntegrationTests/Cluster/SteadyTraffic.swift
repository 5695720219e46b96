import AppStoreSimulator
import Synchronization

/// Notifications and questions for the owners of subscriptions, sent to each of some nodes once and never again: whatever is
/// answered otherwise than it should is noted.
final class SteadyTraffic: Sendable {
    private struct State {
        var next = 0
        var sent: Set<String> = []
        /// Answers so far, by party.
        var answers: [Int]
        var refusals: [String] = []
        var isEnding = false
    }

    private let notifications: [SignedNotification]
    private let question: CheckQuestion
    private let nodes: [NodeProcess]
    private let state: Mutex<State>

    /// - Parameter notifications: sent round and round; from the second time on they are repetitions.
    init(_ notifications: [SignedNotification], about subscriptions: [String], to nodes: [NodeProcess]) {
        self.notifications = notifications
        self.question = CheckQuestion(subscriptions)
        self.nodes = nodes
        // Of each node one that sends and one that asks.
        self.state = Mutex(State(answers: nodes.flatMap { _ in [0, 0] }))
    }

    var sent: Set<String> { self.state.withLock(\.sent) }
    /// Answers other than 200, and those that were older than the one before.
    var refusals: [String] { self.state.withLock(\.refusals) }

    /// Sends and asks until `end()`.
    func run() async throws {
        try await withThrowingTaskGroup { group in
            for (index, node) in self.nodes.enumerated() {
                group.addTask { try await self.send(to: node, as: 2 * index) }
                group.addTask { try await self.ask(node, as: 2 * index + 1) }
            }
            try await group.waitForAll()
        }
    }

    func end() { self.state.withLock { $0.isEnding = true } }

    /// Returns when everybody has been answered something that he has begun after this was called.
    func untilAnswered() async throws {
        let before = self.state.withLock(\.answers)
        // The first may have been under way.
        while zip(self.state.withLock(\.answers), before).contains(where: { $0 < $1 + 2 }) {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func send(to node: NodeProcess, as party: Int) async throws {
        while let notification = self.next() {
            do {
                let status = try await node.notify(notification.signedPayload)
                self.note(status == 200 ? nil : "a notification was answered with \(status)", to: party)
            } catch {
                self.note("a notification was not answered: \(error)", to: party)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func next() -> SignedNotification? {
        self.state.withLock { state in
            guard !state.isEnding else { return nil }
            let notification = self.notifications[state.next % self.notifications.count]
            state.next += 1
            state.sent.insert(notification.uuid)
            return notification
        }
    }

    private func ask(_ node: NodeProcess, as party: Int) async throws {
        var known: [Int] = []
        while !self.state.withLock(\.isEnding) {
            do {
                let versions = try await self.question.ask(node, "owner").versions
                let isOlder = zip(versions, known).contains(where: <)
                self.note(isOlder ? "\(versions) came after \(known)" : nil, to: party)
                known = versions
            } catch {
                self.note("\(error)", to: party)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func note(_ refusal: String?, to party: Int) {
        self.state.withLock { state in
            state.answers[party] += 1
            if let refusal { state.refusals.append(refusal) }
        }
    }
}
