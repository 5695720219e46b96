import NIOCore
import PostgresHarness

/// What it costs that a node owns only half of the shards, and forwards half of what it is sent: processor time of a
/// notification on a node alone, and on two nodes together of which each is sent as many.
struct PairBenchmark: Benchmark {
    static let name = "pair"
    static let abstract = "processor time of a notification on two nodes, against one, with PostgreSQL below both"

    private static let connections = 128
    private static let warmUp = 3_000
    private static let rounds = 7
    private static let perRound = 3_000
    /// Altogether, so that nodes have time for each.
    private static let pace = 400
    private static let paced = 2_400

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = 2 * Self.warmUp + 2 * Self.rounds * 2 * Self.perRound + Self.paced
        workspace.say("  signing \(count) notifications")
        let traffic = try await NotificationTraffic(count: count, authority: workspace.supplies.authority)
        let server = try PostgresServer()
        let (alone, shared) = (try server.makeDatabase().url, try server.makeDatabase().url)
        let root = workspace.supplies.root
        let measured = try await NodeProcess.run(on: alone, root: root) { one in
            try await NodeProcess.run(on: shared, root: root, as: .half(0)) { first in
                try await NodeProcess.run(on: shared, root: root, as: .half(1)) { second in
                    try await Self.measure(NotificationSupply(traffic), one: [one], two: [first, second])
                }
            }
        }
        return [
            Self.figure("processor time of a notification, two nodes of one", measured.full),
            Self.figure("the same, \(Self.connections) connections in all", measured.divided),
            Self.figure("the same, at \(Self.pace)/s", [measured.paced]),
        ]
    }

    private typealias Round = (one: Duration, two: Duration)

    private static func figure(_ name: String, _ rounds: [Round]) -> Figure {
        Figure(
            name, rounds.map(\.two).median() / .microseconds(1), "µs",
            baseline: rounds.map(\.one).median() / .microseconds(1),
            ratio: rounds.map { $0.two / $0.one }.median(), goal: .ratioAtMost(1.2))
    }

    private static func measure(
        _ supply: NotificationSupply, one: [NodeProcess], two: [NodeProcess]
    ) async throws -> (full: [Round], divided: [Round], paced: Round) {
        var supply = supply
        let warmUp = supply.take(2 * Self.warmUp)
        _ = try await Self.send(warmUp.prefix(Self.warmUp), to: one)
        _ = try await Self.send(warmUp, to: two)
        var (full, divided): ([Round], [Round]) = ([], [])
        for _ in 0..<Self.rounds {
            for isDivided in [false, true] {
                let requests = supply.take(2 * Self.perRound)
                let connections = isDivided ? Self.connections / 2 : Self.connections
                let round = (
                    one: try await Self.send(requests.prefix(Self.perRound), to: one),
                    two: try await Self.send(requests, to: two, connections: connections)
                )
                if isDivided { divided.append(round) } else { full.append(round) }
            }
        }
        let requests = supply.take(Self.paced)
        let paced = (
            one: try await Self.send(requests, to: one, perSecond: Self.pace),
            two: try await Self.send(requests, to: two, perSecond: Self.pace)
        )
        return (full, divided, paced)
    }

    /// - Returns: the processor time that the nodes took for one request.
    private static func send(
        _ requests: ArraySlice<ByteBuffer>, to nodes: [NodeProcess], connections: Int = Self.connections,
        perSecond pace: Int? = nil
    ) async throws -> Duration {
        let before = try nodes.map { try $0.use().processorTime }.reduce(.zero, +)
        try await NotificationSupply.send(requests, to: nodes, connections: connections, perSecond: pace)
        let after = try nodes.map { try $0.use().processorTime }.reduce(.zero, +)
        return (after - before) / requests.count
    }
}
