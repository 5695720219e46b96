import NIOCore

/// Single checks, against the same server answering with bytes that it has.
struct CheckBenchmark: Benchmark {
    static let name = "check"
    static let abstract = "single checks a second, of a fixed answer through the same server"

    static let connections = 64
    private static let rounds = 9
    private static let roundLength = Duration.milliseconds(500)

    func run(in workspace: Workspace) async throws -> [Figure] {
        let store = try await workspace.store(seeded: 1_000)
        let checks = CheckBodies.singles(of: store.ids, count: store.ids.count)
        let fixed = CheckBodies.singles(of: store.ids, count: store.ids.count, path: NodeCommand.fixedPath)
        return try await NodeProcess.run(on: store.path, root: workspace.supplies.root) { node in
            try await node.settle()
            let generator = LoadGenerator(port: node.port, connections: Self.connections)
            _ = try await node.telling("check", in: workspace) {
                try await generator.closed(checks, for: .seconds(1)).entitling(1)
            }
            _ = try await node.telling("fixed answer", in: workspace) {
                try await generator.closed(fixed, for: .seconds(1))
            }
            let comparison = try await LoadComparison(rounds: Self.rounds) { _ in
                try await generator.closed(checks, for: Self.roundLength)
            } baseline: { _ in
                try await generator.closed(fixed, for: Self.roundLength)
            }
            let bare = try await node.telling("bare server", in: workspace) {
                try await LoadGenerator(port: node.barePort, connections: Self.connections)
                    .closed(fixed, for: .seconds(1))
            }
            return [
                Figure(
                    "single checks (baseline: a fixed answer)", comparison.subject, "1/s",
                    baseline: comparison.baseline, ratio: comparison.ratio, goal: .ratioAtLeast(0.90)),
                Figure("a fixed answer of the bare HTTP library", bare.perSecond, "1/s"),
            ]
        }
    }
}
