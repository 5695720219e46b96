import Foundation

/// What a cluster has told of how far its log goes: a token, and a cursor.
struct Told {
    private let subscriptions: [String]
    private let token: String
    private let cursor: String

    /// - Parameter subscriptions: together they have everything that has come in.
    init(by node: NodeProcess, of subscriptions: [String]) async throws {
        self.subscriptions = subscriptions
        self.token = try await CheckQuestion(subscriptions).ask(node, "owner").token
        self.cursor = try await node.cursorOfAllEvents()
    }

    /// How a node answers who comes with them: a check by what it knows, one by what the owners know, and a reader of the log.
    func refusals(of node: NodeProcess) async throws -> [UInt] {
        let question = CheckQuestion(self.subscriptions)
        return [
            try await question.status(of: node, "local", atLeast: self.token),
            try await question.status(of: node, "owner", atLeast: self.token),
            try await node.get("/v1/events?after=\(self.cursor)").status,
        ]
    }
}
