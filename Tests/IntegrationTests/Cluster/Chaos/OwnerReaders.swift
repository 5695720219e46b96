import AppStoreSimulator
import Foundation
import Synchronization

/// Ask all nodes for subscriptions while notifications come in. No answer of an owner may be older than what anybody was
/// told before it was asked for, with the token of that answer or without it.
final class OwnerReaders: Sendable {
    private struct Known {
        var version = 0
        var token: String?
    }

    private struct State {
        var known: [String: Known] = [:]
        var answers: [History.OwnerAnswer] = []
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

    /// Asks until `end()`.
    func run() async throws {
        self.state.withLock { $0.isEnding = false }
        try await withThrowingTaskGroup { group in
            for node in self.nodes { group.addTask { try await self.ask(node) } }
            try await group.waitForAll()
        }
    }

    func end() { self.state.withLock { $0.isEnding = true } }

    private func ask(_ node: SupervisedNode) async throws {
        while !self.state.withLock(\.isEnding) {
            for subscription in self.subscriptions.shuffled() where !self.state.withLock(\.isEnding) {
                await self.ask(node, for: subscription, withToken: .random())
                try await Task.sleep(for: .milliseconds(40))
            }
        }
    }

    private func ask(_ node: SupervisedNode, for subscription: String, withToken: Bool) async {
        let known = self.state.withLock { $0.known[subscription] ?? Known() }
        let path = "/v1/subscriptions/\(subscription)?consistency=owner"
        guard let process = node.node,
            let (status, body) = try? await process.get(path, atLeast: withToken ? known.token : nil)
        else { return }
        var answer = Known()
        switch status {
        case 200:
            let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
            answer = Known(version: object?["version"] as? Int ?? 0, token: object?["token"] as? String)
        case 404: break
        case 503: return
        default:
            let text = "\(node.name): \(status) \(String(decoding: body, as: UTF8.self))"
            return self.state.withLock { $0.strange.append(text) }
        }
        self.state.withLock { state in
            state.answers.append(
                History.OwnerAnswer(
                    node: node.name, subscription: subscription, atLeast: known.version, version: answer.version))
            if answer.version > state.known[subscription, default: Known()].version {
                state.known[subscription] = answer
            }
        }
    }
}
