import HTTPAPI
import NIOCore

/// Whether a node with a million subscriptions is as fast as one with a thousand: both run at the same time and are
/// measured in turns.
struct MillionBenchmark: Benchmark {
    static let name = "million"
    static let abstract = "ingest and checks with 1,000,000 subscriptions in the store, of those with 1,000"

    static let few = 1_000
    static let many = 1_000_000
    private static let goal = Figure.Goal.ratioAtLeast(0.80)
    private static let rounds = 5
    private static let roundLength = Duration.milliseconds(700)
    private static let notificationsPerRound = 3_000

    func run(in workspace: Workspace) async throws -> [Figure] {
        let small = try await workspace.store(seeded: Self.few)
        let large = try await workspace.store(seeded: Self.many)
        let root = workspace.supplies.root
        return try await NodeProcess.run(on: small.path, root: root) { smallNode in
            try await NodeProcess.run(on: large.path, root: root) { largeNode in
                try await Self.warm(smallNode, small)
                try await Self.warm(largeNode, large)
                try await smallNode.settle()
                try await largeNode.settle()
                workspace.say("  both nodes are warm")
                return [
                    try await Self.singles((largeNode, large), (smallNode, small)),
                    try await Self.batches(.json, (largeNode, large), (smallNode, small)),
                    try await Self.batches(.protobuf, (largeNode, large), (smallNode, small)),
                    try await Self.ingest(largeNode, smallNode, in: workspace),
                ]
            }
        }
    }

    /// Asks for every subscription once.
    private static func warm(_ node: NodeProcess, _ store: SeededStore) async throws {
        _ = try await LoadGenerator(port: node.port, connections: BatchBenchmark.connections)
            .closed(try CheckBodies.batches(of: store.ids)).entitling(CheckBodies.batchSize)
    }

    private typealias Side = (node: NodeProcess, store: SeededStore)

    private static func singles(_ many: Side, _ few: Side) async throws -> Figure {
        try await self.checks(
            "single checks with a million subscriptions", many, few, connections: CheckBenchmark.connections,
            checksPerRequest: 1
        ) { CheckBodies.singles(of: $0, count: 100_000) }
    }

    private static func batches(_ format: BodyFormat, _ many: Side, _ few: Side) async throws -> Figure {
        try await self.checks(
            "checks in \(format) batches with a million subscriptions", many, few,
            connections: BatchBenchmark.connections, checksPerRequest: CheckBodies.batchSize, as: format
        ) { try CheckBodies.batches(of: $0, as: format) }
    }

    private static func checks(
        _ name: String, _ many: Side, _ few: Side, connections: Int, checksPerRequest: Int,
        as format: BodyFormat = .json, _ requests: (SubscriptionIDs) throws -> [ByteBuffer]
    ) async throws -> Figure {
        let (manyRequests, fewRequests) = (try requests(many.store.ids), try requests(few.store.ids))
        let comparison = try await LoadComparison(rounds: Self.rounds) { round in
            // Each round goes on elsewhere, so that all subscriptions have their turn.
            let start = manyRequests.count * round / Self.rounds
            return try await LoadGenerator(port: many.node.port, connections: connections)
                .closed(Array(manyRequests[start...] + manyRequests[..<start]), for: Self.roundLength)
                .entitling(checksPerRequest, as: format)
        } baseline: { _ in
            try await LoadGenerator(port: few.node.port, connections: connections)
                .closed(fewRequests, for: Self.roundLength).entitling(checksPerRequest, as: format)
        }
        let factor = Double(checksPerRequest)
        return Figure(
            name, comparison.subject * factor, "1/s", baseline: comparison.baseline * factor, ratio: comparison.ratio,
            goal: Self.goal)
    }

    /// Both nodes get the same notifications, none of them twice.
    private static func ingest(
        _ many: NodeProcess, _ few: NodeProcess, in workspace: Workspace
    ) async throws -> Figure {
        let traffic = try await NotificationTraffic(
            count: (1 + Self.rounds) * Self.notificationsPerRound, authority: workspace.supplies.authority)
        func send(_ round: Int, to node: NodeProcess) async throws -> LoadResult {
            let first = round * Self.notificationsPerRound
            return try await LoadGenerator(port: node.port, connections: IngestBenchmark.connections)
                .closed(Array(traffic.requests[first..<first + Self.notificationsPerRound]))
        }
        for node in [many, few] { _ = try await send(Self.rounds, to: node) }
        let comparison = try await LoadComparison(rounds: Self.rounds) { round in
            try await send(round, to: many)
        } baseline: { round in
            try await send(round, to: few)
        }
        return Figure(
            "notifications acknowledged with a million subscriptions", comparison.subject, "1/s",
            baseline: comparison.baseline, ratio: comparison.ratio, goal: Self.goal)
    }
}
