import HTTPAPI
import NIOCore

/// A thousand checks in a request.
struct BatchBenchmark: Benchmark {
    static let name = "batch"
    static let abstract = "checks a second, a thousand in each request, as JSON and as Protocol Buffers"

    static let connections = 4
    private static let length = Duration.seconds(4)

    func run(in workspace: Workspace) async throws -> [Figure] {
        let store = try await workspace.store(seeded: 1_000)
        return try await NodeProcess.run(on: store.path, root: workspace.supplies.root) { node in
            try await node.settle()
            return [
                Figure(
                    "checks in JSON batches of 1,000", try await Self.rate(.json, node, store, in: workspace), "1/s",
                    goal: .valueAtLeast(150_000)),
                Figure(
                    "checks in protobuf batches of 1,000", try await Self.rate(.protobuf, node, store, in: workspace),
                    "1/s", goal: .valueAtLeast(500_000)),
            ]
        }
    }

    private static func rate(
        _ format: BodyFormat, _ node: NodeProcess, _ store: SeededStore, in workspace: Workspace
    ) async throws -> Double {
        let batches = try CheckBodies.batches(of: store.ids, as: format)
        let generator = LoadGenerator(port: node.port, connections: Self.connections)
        _ = try await generator.closed(batches, for: .seconds(1)).entitling(CheckBodies.batchSize, as: format)
        let result = try await node.telling("\(format) batch", in: workspace) {
            try await generator.closed(batches, for: Self.length)
        }
        return result.perSecond * Double(CheckBodies.batchSize)
    }
}
