import Foundation
import NIOCore
import PostgresHarness

/// What a sender notices of a shard that is moved from one node to another in good order, while others send too.
struct HandOffBenchmark: Benchmark {
    static let name = "handoff"
    static let abstract = "the longest wait of a notification whose shard is handed to another node, 200 times"

    private static let moves = 200
    private static let pace = 200

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = Self.pace * 120
        workspace.say("  signing \(count) notifications")
        let traffic = try await NotificationTraffic(count: count, authority: workspace.supplies.authority)
        let database = try PostgresServer().makeDatabase()
        let waits = try await NodeProcess.run(on: database.url, root: workspace.supplies.root, as: .leased("node-1")) {
            first in
            try await NodeProcess.run(on: database.url, root: workspace.supplies.root, as: .leased("node-2")) {
                second in
                try await Self.measure(traffic.requests, [first, second], database)
            }
        }
        let milliseconds = waits.map { $0 / .milliseconds(1) }.sorted()
        return [
            Figure("hand-off of a shard: longest wait, median", milliseconds.median(), "ms"),
            Figure(
                "hand-off of a shard: longest wait, p99", milliseconds[milliseconds.count * 99 / 100], "ms",
                goal: .valueAtMost(100)),
        ]
    }

    /// - Throws: also when a request is answered with other than 200.
    private static func measure(
        _ requests: [ByteBuffer], _ nodes: [NodeProcess], _ database: PostgresDatabase
    ) async throws -> [Duration] {
        let probe = requests[0]
        _ = try await LoadGenerator(port: nodes[0].port, connections: 1).closed([probe])
        guard let row = try database.query("SELECT shard_id FROM event LIMIT 1").first else {
            throw BenchmarkError("an acknowledged notification is not in the log")
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, node) in nodes.enumerated() {
                let own = requests.enumerated().filter { $0.offset % nodes.count == place }.map(\.element)
                group.addTask {
                    _ = try await LoadGenerator(port: node.port, connections: 32).open(
                        own, perSecond: Self.pace / nodes.count)
                }
            }
            defer { group.cancelAll() }
            var waits: [Duration] = []
            for move in 0..<Self.moves {
                let target = "node-\(move % 2 + 1)"
                waits.append(try await Self.move(row, to: target, asking: nodes[move % 2], probe))
            }
            return waits
        }
    }

    /// - Returns: how long the probe, which is sent again and again, waited at most for its answer.
    private static func move(
        _ shard: String, to target: String, asking node: NodeProcess, _ probe: ByteBuffer
    ) async throws -> Duration {
        async let waits = LoadGenerator(port: node.port, connections: 1).closed([probe], for: .milliseconds(300))
        try await Task.sleep(for: .milliseconds(50))
        let request = ByteBuffer.post("/v1/shards/\(shard)/move", body: Array("{\"to\":\"\(target)\"}".utf8))
        _ = try await LoadGenerator(port: node.port, connections: 1).closed([request])
        return .milliseconds(try await waits.latency(percentile: 100))
    }
}
