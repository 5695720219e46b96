/// What a node keeps in memory once everybody has been asked for. MB are 10⁶ bytes.
struct MemoryBenchmark: Benchmark {
    static let name = "memory"
    static let abstract = "resident memory after a million distinct checks"

    func run(in workspace: Workspace) async throws -> [Figure] {
        let store = try await workspace.store(seeded: MillionBenchmark.many)
        return try await NodeProcess.run(on: store.path, root: workspace.supplies.root) { node in
            try await node.settle()
            let before = Double(try node.use().residentBytes) / 1e6
            _ = try await node.telling("a million checks, none warm", in: workspace) {
                try await LoadGenerator(port: node.port, connections: BatchBenchmark.connections)
                    .closed(try CheckBodies.batches(of: store.ids)).entitling(CheckBodies.batchSize)
            }
            let after = Double(try node.use().residentBytes) / 1e6
            workspace.say("  resident before them: \(Int(before)) MB")
            return [Figure("resident after a million distinct checks", after, "MB", goal: .valueAtMost(200))]
        }
    }
}
