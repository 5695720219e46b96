import Testing

/// Nodes that share a database.
extension SupervisedNode {
    /// Starts nodes, waits until they serve all shards, and stops them in order when `body` is done.
    static func run(_ nodes: [SupervisedNode], _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            for node in nodes { group.addTask { try await node.supervise() } }
            try await Self.untilServed(by: nodes)
            try await body()
            for node in nodes { #expect(await node.stop() == 0) }
            group.cancelAll()
        }
    }

    /// Waits until these nodes are ready, and own all shards together.
    static func untilServed(by nodes: [SupervisedNode]) async throws {
        while true {
            var owned = 0
            var isReady = true
            for node in nodes {
                owned += await node.ownedShards()
                isReady = await node.isReady() && isReady
            }
            if isReady, owned == NodeProcess.shardCount { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
