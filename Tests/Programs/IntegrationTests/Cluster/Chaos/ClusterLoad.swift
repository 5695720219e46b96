import AppStoreSimulator
import NIOCore
import Synchronization

/// Sends notifications to all nodes, and each until it is acknowledged, as the App Store does, only sooner. Some are
/// repeated after that.
final class ClusterLoad: Sendable {
    private struct State {
        var waiting: ArraySlice<SignedNotification>
        var sent: Set<String> = []
        var acknowledged: Set<String> = []
        var turns = 0
        var isEnding = false
        /// Answers that a sender cannot make sense of.
        var strange: [UInt] = []
    }

    private static let senders = 6
    private let notifications: [SignedNotification]
    private let nodes: [SupervisedNode]
    private let pause: Duration
    private let state: Mutex<State>

    /// - Parameter pause: of a sender after each notification.
    init(
        _ notifications: [SignedNotification], to nodes: [SupervisedNode], pause: Duration = .milliseconds(60)
    ) {
        self.notifications = notifications
        self.nodes = nodes
        self.pause = pause
        self.state = Mutex(State(waiting: notifications[...]))
    }

    var sent: Set<String> { self.state.withLock(\.sent) }
    var acknowledged: Set<String> { self.state.withLock(\.acknowledged) }
    var strange: [UInt] { self.state.withLock(\.strange) }

    /// Sends until `end()`, and returns when everything sent is acknowledged.
    func run() async throws {
        self.state.withLock { $0.isEnding = false }
        try await withThrowingTaskGroup { group in
            for sender in 0..<Self.senders { group.addTask { try await self.send(first: sender) } }
            try await group.waitForAll()
        }
    }

    func end() { self.state.withLock { $0.isEnding = true } }

    /// Returns when so many more were acknowledged, repetitions included.
    func untilAcknowledged(_ count: Int) async throws {
        let target = self.state.withLock(\.turns) + count
        while self.state.withLock(\.turns) < target { try await Task.sleep(for: .milliseconds(20)) }
    }

    private func send(first sender: Int) async throws {
        while let notification = self.next() {
            var attempt = sender
            while try await !self.isAcknowledged(notification, by: self.nodes[attempt % self.nodes.count]) {
                attempt += 1
                try await Task.sleep(for: .milliseconds(100))
            }
            self.note(notification)
            try await Task.sleep(for: self.pause)
        }
    }

    /// - Throws: `CancellationError`.
    private func isAcknowledged(_ notification: SignedNotification, by node: SupervisedNode) async throws -> Bool {
        // One that is paused or cut off is not waited for: the next one is asked.
        let status = try? await node.node?.notify(notification.signedPayload, patience: .seconds(30))
        try Task.checkCancellation()
        if let status, ![200, 503].contains(status) { self.state.withLock { $0.strange.append(status) } }
        return status == 200
    }

    /// Each tenth is one that was acknowledged before.
    private func next() -> SignedNotification? {
        self.state.withLock { state in
            guard !state.isEnding else { return nil }
            let old = self.notifications[..<state.waiting.startIndex].randomElement()
            if state.turns % 10 == 9 || state.waiting.isEmpty, let old { return old }
            let new = state.waiting.popFirst()
            if let new { state.sent.insert(new.uuid) }
            return new
        }
    }

    private func note(_ notification: SignedNotification) {
        self.state.withLock { state in
            state.turns += 1
            state.acknowledged.insert(notification.uuid)
        }
    }
}
