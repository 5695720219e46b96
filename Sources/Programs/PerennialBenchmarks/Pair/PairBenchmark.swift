import PostgresHarness

/// What it costs that a node owns only half of the shards, and forwards half of what it is sent: processor time of a
/// notification on a node alone, and on two nodes together.
struct PairBenchmark: Benchmark {
    static let name = "pair"
    static let abstract = "processor time of a notification on two nodes, against one, with PostgreSQL below both"

    /// Many rounds, since a round is no longer than the machine's moods.
    private static let loads = [
        CostComparison.Load(name: "512 senders at each", senders: 512, sendersEach: 512, rounds: 15, perRound: 5_000),
        CostComparison.Load(name: "128 senders at each", senders: 128, sendersEach: 128, rounds: 21, perRound: 1_500),
        CostComparison.Load(name: "128 senders in all", senders: 128, sendersEach: 64, rounds: 9, perRound: 1_500),
        CostComparison.Load(
            name: "400 a second", senders: 128, sendersEach: 128, rounds: 1, perRound: 1_200, perSecond: 400),
    ]

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = CostComparison.count(of: Self.loads, nodes: 2)
        workspace.say("  signing \(count) notifications")
        let traffic = try await NotificationTraffic(count: count, authority: workspace.supplies.authority)
        let server = try PostgresServer(settings: CostComparison.serverSettings)
        let (alone, shared) = (try server.makeDatabase().url, try server.makeDatabase().url)
        let root = workspace.supplies.root
        return try await NodeProcess.run(on: alone, root: root) { one in
            try await NodeProcess.run(on: shared, root: root, as: .half(0)) { first in
                try await NodeProcess.run(on: shared, root: root, as: .half(1)) { second in
                    var comparison = CostComparison(
                        traffic, one: .init(nodes: [one]), several: .init(nodes: [first, second]))
                    try await comparison.warmUp()
                    return try await comparison.figures(
                        "processor time of a notification, two nodes of one", under: Self.loads, ratioAtMost: 1.2)
                }
            }
        }
    }
}
