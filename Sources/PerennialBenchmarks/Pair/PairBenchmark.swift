import NIOCore
import PostgresHarness

/// What it costs that a node owns only half of the shards, and forwards half of what it is sent: processor time of a
/// node alone, and of two nodes together, for the same notifications.
struct PairBenchmark: Benchmark {
    static let name = "pair"
    static let abstract = "processor time of a notification on two nodes, against one, with PostgreSQL below both"

    private static let connections = 128
    private static let warmUp = 3_000
    private static let rounds = 7
    private static let perRound = 3_000

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = Self.warmUp + Self.rounds * Self.perRound
        workspace.say("  signing \(count) notifications")
        let traffic = try await NotificationTraffic(count: count, authority: workspace.supplies.authority)
        let server = try PostgresServer()
        let (alone, shared) = (try server.makeDatabase().url, try server.makeDatabase().url)
        let root = workspace.supplies.root
        let rounds = try await NodeProcess.run(on: alone, root: root) { one in
            try await NodeProcess.run(on: shared, root: root, half: 0) { first in
                try await NodeProcess.run(on: shared, root: root, half: 1) { second in
                    try await Self.measure(traffic.requests, one: [one], two: [first, second], in: workspace)
                }
            }
        }
        let two = rounds.map(\.two).median() / .microseconds(1)
        let one = rounds.map(\.one).median() / .microseconds(1)
        return [
            Figure(
                "processor time of a notification, two nodes of one", two, "µs", baseline: one,
                ratio: rounds.map { $0.two / $0.one }.median(), goal: .ratioAtMost(1.2))
        ]
    }

    private static func measure(
        _ requests: [ByteBuffer], one: [NodeProcess], two: [NodeProcess], in workspace: Workspace
    ) async throws -> [(one: Duration, two: Duration)] {
        for nodes in [one, two] { _ = try await Self.send(requests.prefix(Self.warmUp), to: nodes) }
        var rounds: [(one: Duration, two: Duration)] = []
        for round in 0..<Self.rounds {
            let slice = requests[(Self.warmUp + round * Self.perRound)...].prefix(Self.perRound)
            rounds.append((try await Self.send(slice, to: one), try await Self.send(slice, to: two)))
        }
        return rounds
    }

    /// Divides the requests among the nodes.
    /// - Returns: the processor time that these took for one of them.
    private static func send(_ requests: ArraySlice<ByteBuffer>, to nodes: [NodeProcess]) async throws -> Duration {
        let before = try nodes.map { try $0.use().processorTime }.reduce(.zero, +)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, node) in nodes.enumerated() {
                let own = requests.enumerated().filter { $0.offset % nodes.count == place }.map(\.element)
                let generator = LoadGenerator(port: node.port, connections: Self.connections / nodes.count)
                group.addTask { _ = try await generator.closed(own) }
            }
            try await group.waitForAll()
        }
        let after = try nodes.map { try $0.use().processorTime }.reduce(.zero, +)
        return (after - before) / requests.count
    }
}
