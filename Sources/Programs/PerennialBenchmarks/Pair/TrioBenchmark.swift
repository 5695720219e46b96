import PostgresHarness

/// What it costs to have three nodes: processor time of a notification on a node alone, and on three together, with that of
/// PostgreSQL below them.
struct TrioBenchmark: Benchmark {
    static let name = "trio"
    static let abstract = "processor time of a notification on three nodes and PostgreSQL, against one node"

    private static let loads = [
        CostComparison.Load(name: "512 senders at each", senders: 512, sendersEach: 512, rounds: 9, perRound: 5_000),
        CostComparison.Load(name: "128 senders at each", senders: 128, sendersEach: 128, rounds: 13, perRound: 1_500),
        CostComparison.Load(name: "128 senders in all", senders: 128, sendersEach: 43, rounds: 7, perRound: 1_500),
    ]

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = CostComparison.count(of: Self.loads, nodes: 3)
        workspace.say("  signing \(count) notifications")
        let traffic = try await NotificationTraffic(count: count, authority: workspace.supplies.authority)
        let alone = try PostgresServer(settings: CostComparison.serverSettings)
        let shared = try PostgresServer(settings: CostComparison.serverSettings)
        let cluster = LeasedCluster(try shared.makeDatabase(), root: workspace.supplies.root)
        try await cluster.fill()
        try await cluster.untilDivided()
        let figures = try await NodeProcess.run(on: try alone.makeDatabase().url, root: workspace.supplies.root) {
            one in
            var comparison = CostComparison(
                traffic, one: .init(nodes: [one], server: alone),
                several: .init(nodes: cluster.nodes, server: shared))
            try await comparison.warmUp()
            return try await comparison.figures(
                "processor time of a notification, three nodes of one, PostgreSQL included", under: Self.loads,
                ratioAtMost: 1.3)
        }
        try await cluster.stop()
        return figures
    }
}
