/// Single checks at a node that answers from its mirror, against the same server answering with bytes that it has.
struct MirrorCheckBenchmark: Benchmark {
    static let name = "mirrorcheck"
    static let abstract = "single checks a second at a mirror, of a fixed answer through the same server"

    // Short turns, and many: a machine that others use too changes its speed several times a second.
    private static let rounds = 41
    private static let roundLength = Duration.milliseconds(200)

    func run(in workspace: Workspace) async throws -> [Figure] {
        let store = try await workspace.store(seeded: 1_000)
        let checks = CheckBodies.singles(of: store.ids, count: store.ids.count)
        let fixed = CheckBodies.singles(of: store.ids, count: store.ids.count, path: NodeCommand.fixedPath)
        return try await NodeProcess.run(on: store.path, root: workspace.supplies.root, as: .mirror) { node in
            try await node.settle()
            let generator = LoadGenerator(port: node.port, connections: CheckBenchmark.connections)
            _ = try await generator.closed(checks, for: .seconds(1)).entitling(1)
            _ = try await generator.closed(fixed, for: .seconds(1))
            let comparison = try await LoadComparison(rounds: Self.rounds) { _ in
                try await generator.closed(checks, for: Self.roundLength)
            } baseline: { _ in
                try await generator.closed(fixed, for: Self.roundLength)
            }
            return [
                Figure(
                    "single checks at a mirror (baseline: a fixed answer)", comparison.subject, "1/s",
                    baseline: comparison.baseline, ratio: comparison.ratio, goal: .ratioAtLeast(0.90))
            ]
        }
    }
}
