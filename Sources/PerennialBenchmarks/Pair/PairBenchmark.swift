import NIOCore
import PostgresHarness

/// What it costs that a node owns only half of the shards, and forwards half of what it is sent: processor time of a
/// node alone, and of two nodes together, for the same notifications.
struct PairBenchmark: Benchmark {
    static let name = "pair"
    static let abstract = "processor time of a notification on two nodes, against one, with PostgreSQL below both"

    /// To each node, so that one of two has as much at hand as one alone.
    private static let connections = 128
    private static let warmUp = 3_000
    private static let rounds = 7
    private static let perRound = 3_000
    /// Altogether, so that nodes have time for each.
    private static let pace = 400
    private static let paced = 2_400

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = Self.warmUp + 2 * Self.rounds * Self.perRound + Self.paced
        workspace.say("  signing \(count) notifications")
        let traffic = try await NotificationTraffic(count: count, authority: workspace.supplies.authority)
        let server = try PostgresServer()
        let (alone, shared) = (try server.makeDatabase().url, try server.makeDatabase().url)
        let root = workspace.supplies.root
        let measured = try await NodeProcess.run(on: alone, root: root) { one in
            try await NodeProcess.run(on: shared, root: root, as: .half(0)) { first in
                try await NodeProcess.run(on: shared, root: root, as: .half(1)) { second in
                    try await Self.measure(traffic.requests, one: [one], two: [first, second], in: workspace)
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
        _ requests: [ByteBuffer], one: [NodeProcess], two: [NodeProcess], in workspace: Workspace
    ) async throws -> (full: [Round], divided: [Round], paced: Round) {
        for nodes in [one, two] { _ = try await Self.send(requests.prefix(Self.warmUp), to: nodes) }
        var (full, divided): ([Round], [Round]) = ([], [])
        var rest = requests.dropFirst(Self.warmUp)
        for _ in 0..<Self.rounds {
            var slice = rest.prefix(Self.perRound)
            full.append((try await Self.send(slice, to: one), try await Self.send(slice, to: two)))
            rest = rest.dropFirst(Self.perRound)
            slice = rest.prefix(Self.perRound)
            let connections = Self.connections / two.count
            divided.append(
                (try await Self.send(slice, to: one), try await Self.send(slice, to: two, connections: connections)))
            rest = rest.dropFirst(Self.perRound)
        }
        let paced = (
            one: try await Self.send(rest, to: one, perSecond: Self.pace),
            two: try await Self.send(rest, to: two, perSecond: Self.pace)
        )
        return (full, divided, paced)
    }

    /// Divides the requests among the nodes.
    /// - Parameters:
    ///   - connections: to each.
    ///   - pace: of all together; nil for as fast as they are answered.
    /// - Returns: the processor time that the nodes took for one request.
    private static func send(
        _ requests: ArraySlice<ByteBuffer>, to nodes: [NodeProcess], connections: Int = Self.connections,
        perSecond pace: Int? = nil
    ) async throws -> Duration {
        let before = try nodes.map { try $0.use().processorTime }.reduce(.zero, +)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, node) in nodes.enumerated() {
                let own = requests.enumerated().filter { $0.offset % nodes.count == place }.map(\.element)
                let generator = LoadGenerator(port: node.port, connections: connections)
                group.addTask {
                    if let pace {
                        _ = try await generator.open(own, perSecond: pace / nodes.count)
                    } else {
                        _ = try await generator.closed(own)
                    }
                }
            }
            try await group.waitForAll()
        }
        let after = try nodes.map { try $0.use().processorTime }.reduce(.zero, +)
        return (after - before) / requests.count
    }
}
