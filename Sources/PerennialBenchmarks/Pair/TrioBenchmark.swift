import NIOCore
import PostgresHarness

/// What it costs to have three nodes where one would do: processor time of the nodes and of PostgreSQL below them, for the
/// same notifications.
struct TrioBenchmark: Benchmark {
    static let name = "trio"
    static let abstract = "processor time of a notification on three nodes and PostgreSQL, against one node"

    /// To each node, so that one of three has as much at hand as one alone.
    private static let connections = 128
    private static let warmUp = 3_000
    private static let rounds = 7
    private static let perRound = 3_000

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = Self.warmUp + 2 * Self.rounds * Self.perRound
        workspace.say("  signing \(count) notifications")
        let traffic = try await NotificationTraffic(count: count, authority: workspace.supplies.authority)
        let (alone, shared) = (try PostgresServer(), try PostgresServer())
        let cluster = LeasedCluster(try shared.makeDatabase(), root: workspace.supplies.root)
        try await cluster.fill()
        try await cluster.untilDivided()
        let measured = try await NodeProcess.run(on: try alone.makeDatabase().url, root: workspace.supplies.root) {
            one in
            try await Self.measure(traffic.requests, one: ([one], alone), three: (cluster.nodes, shared))
        }
        try await cluster.stop()
        return [
            Self.figure("processor time of a notification, three nodes of one, PostgreSQL included", measured.full),
            Figure(
                "of it in PostgreSQL", measured.full.map(\.three.server).median() / .microseconds(1), "µs",
                baseline: measured.full.map(\.one.server).median() / .microseconds(1)),
            Self.figure("the same, \(Self.connections) connections in all", measured.divided),
        ]
    }

    private static func figure(_ name: String, _ rounds: [Round]) -> Figure {
        Figure(
            name, rounds.map(\.three.total).median() / .microseconds(1), "µs",
            baseline: rounds.map(\.one.total).median() / .microseconds(1),
            ratio: rounds.map { $0.three.total / $0.one.total }.median(), goal: .ratioAtMost(1.3))
    }

    /// Processor time.
    private struct Use {
        var nodes: Duration
        var server: Duration

        var total: Duration { self.nodes + self.server }
    }

    private typealias Round = (one: Use, three: Use)
    private typealias Party = (nodes: [NodeProcess], server: PostgresServer)

    private static func measure(
        _ requests: [ByteBuffer], one: Party, three: Party
    ) async throws -> (full: [Round], divided: [Round]) {
        for party in [one, three] { _ = try await Self.send(requests.prefix(Self.warmUp), to: party) }
        var (full, divided): ([Round], [Round]) = ([], [])
        var rest = requests.dropFirst(Self.warmUp)
        for _ in 0..<Self.rounds {
            var slice = rest.prefix(Self.perRound)
            full.append((try await Self.send(slice, to: one), try await Self.send(slice, to: three)))
            rest = rest.dropFirst(Self.perRound)
            slice = rest.prefix(Self.perRound)
            let connections = Self.connections / three.nodes.count
            divided.append(
                (try await Self.send(slice, to: one), try await Self.send(slice, to: three, connections: connections)))
            rest = rest.dropFirst(Self.perRound)
        }
        return (full, divided)
    }

    /// - Parameter connections: to each node.
    /// - Returns: the processor time of one request.
    private static func send(
        _ requests: ArraySlice<ByteBuffer>, to party: Party, connections: Int = Self.connections
    ) async throws -> Use {
        let before = try Self.use(party)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, node) in party.nodes.enumerated() {
                let own = requests.enumerated().filter { $0.offset % party.nodes.count == place }.map(\.element)
                group.addTask {
                    _ = try await LoadGenerator(port: node.port, connections: connections).closed(own)
                }
            }
            try await group.waitForAll()
        }
        let after = try Self.use(party)
        return Use(
            nodes: (after.nodes - before.nodes) / requests.count,
            server: (after.server - before.server) / requests.count)
    }

    private static func use(_ party: Party) throws -> Use {
        Use(
            nodes: try party.nodes.map { try $0.use().processorTime }.reduce(.zero, +),
            server: try ProcessUse.processorTime(ofAllUnder: party.server.process))
    }
}
