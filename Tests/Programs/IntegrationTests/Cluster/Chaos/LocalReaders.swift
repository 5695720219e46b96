import AppStoreSimulator
import Foundation
import Synchronization

/// Ask all nodes for entitlements as each knows them by itself, while nodes are lost and come back. Whoever is there has to
/// answer, and with nothing older than before.
final class LocalReaders: Sendable {
    private struct Tally {
        var answers = 0
        /// Those that knew more than the one before.
        var news = 0
    }

    private struct State {
        var tallies: [String: Tally] = [:]
        /// The newest versions that anybody was told, in the order of the subscriptions.
        var known: [Int]
        var strange: [String] = []
        var isEnding = false
    }

    /// One run of a node.
    private struct Run {
        let node: NodeProcess
        /// No answer may be older.
        var versions: [Int]
        var mirrorAge = 0.0
        /// It answers by a copy of its own. Until it has one it asks the owners, and they are ahead of that copy for a moment.
        var hasCopy = false
    }

    private let nodes: [SupervisedNode]
    private let question: CheckQuestion
    private let state: Mutex<State>

    /// Asks for those that hear the most.
    init(_ notifications: [SignedNotification], of nodes: [SupervisedNode]) {
        let counts = notifications.filter { $0.status != nil }.compactMap(\.originalTransactionID)
            .reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let subscriptions = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(48).map(\.key)
        self.nodes = nodes
        self.question = CheckQuestion(subscriptions)
        self.state = Mutex(State(known: subscriptions.map { _ in 0 }))
    }

    /// What a node that was there did instead of answering, and answers that were older than they may be.
    var strange: [String] { self.state.withLock(\.strange) }

    /// Asks until `end()`.
    func run() async throws {
        try await withThrowingTaskGroup { group in
            for node in self.nodes { group.addTask { try await self.ask(node) } }
            try await group.waitForAll()
        }
    }

    func end() { self.state.withLock { $0.isEnding = true } }

    /// Returns when each of these nodes has given so many more answers, and has told something new.
    func untilAnswered(_ count: Int, by nodes: [SupervisedNode]) async throws {
        let start = self.state.withLock(\.tallies)
        func isWaiting(_ node: SupervisedNode) -> Bool {
            let tallies = self.state.withLock(\.tallies)
            let (now, before) = (tallies[node.name] ?? Tally(), start[node.name] ?? Tally())
            return now.answers < before.answers + count || now.news == before.news
        }
        while nodes.contains(where: isWaiting) { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Asks a node, run after run, each from when it is ready.
    private func ask(_ node: SupervisedNode) async throws {
        var known = self.state.withLock(\.known)
        while !self.state.withLock(\.isEnding) {
            guard let process = node.node, await node.isReady() else {
                try await Task.sleep(for: .milliseconds(20))
                continue
            }
            var run = Run(node: process, versions: known)
            while process.process.isRunning, !self.state.withLock(\.isEnding) {
                await self.ask(&run, of: node.name)
                try await Task.sleep(for: .milliseconds(50))
            }
            // The next run begins with what was known to anybody before it.
            known = self.state.withLock(\.known)
        }
    }

    private func ask(_ run: inout Run, of name: String) async {
        do {
            if !run.hasCopy { try await Self.lookForCopy(&run) }
            let versions = try await self.question.ask(run.node, "local").versions
            self.take(versions, &run, name)
        } catch {
            // Whoever was killed owes no answer.
            guard await !Self.hasEnded(run.node) else { return }
            self.state.withLock { $0.strange.append("\(name): \(error)") }
        }
    }

    private func take(_ versions: [Int], _ run: inout Run, _ name: String) {
        let pairs = zip(versions, run.versions)
        self.state.withLock { state in
            if pairs.contains(where: <) { state.strange.append("\(name): \(versions) after \(run.versions)") }
            state.known = zip(state.known, versions).map(max)
            state.tallies[name, default: Tally()].answers += 1
            if run.hasCopy, pairs.contains(where: >) { state.tallies[name]?.news += 1 }
        }
        if run.hasCopy { run.versions = versions }
    }

    /// Until a node has copied all shards, the age of its copy only grows.
    private static func lookForCopy(_ run: inout Run) async throws {
        guard let age = try await run.node.mirrorAge() else { return }
        run.hasCopy = age < run.mirrorAge
        run.mirrorAge = age
    }

    /// Waits until it is known whether a run is over: one that is not answers something.
    private static func hasEnded(_ node: NodeProcess) async -> Bool {
        while node.process.isRunning {
            if (try? await node.get("/livez").status) == 200 { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }
}
