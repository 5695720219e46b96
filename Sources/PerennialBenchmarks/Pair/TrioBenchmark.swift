import NIOCore
import PostgresHarness

/// What it costs to have three nodes: processor time of a notification on a node alone, and on three together of which each
/// is sent as many, with that of PostgreSQL below them.
struct TrioBenchmark: Benchmark {
    static let name = "trio"
    static let abstract = "processor time of a notification on three nodes and PostgreSQL, against one node"

    private static let connections = 128
    private static let warmUp = 3_000
    private static let rounds = 5
    private static let perRound = 3_000

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = 3 * Self.warmUp + 2 * Self.rounds * 3 * Self.perRound
        workspace.say("  signing \(count) notifications")
        let traffic = try await NotificationTraffic(count: count, authority: workspace.supplies.authority)
        let (alone, shared) = (try PostgresServer(), try PostgresServer())
        let cluster = LeasedCluster(try shared.makeDatabase(), root: workspace.supplies.root)
        try await cluster.fill()
        try await cluster.untilDivided()
        let measured = try await NodeProcess.run(on: try alone.makeDatabase().url, root: workspace.supplies.root) {
            one in
            try await Self.measure(NotificationSupply(traffic), one: ([one], alone), three: (cluster.nodes, shared))
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
        _ supply: NotificationSupply, one: Party, three: Party
    ) async throws -> (full: [Round], divided: [Round]) {
        var supply = supply
        let warmUp = supply.take(3 * Self.warmUp)
        _ = try await Self.send(warmUp.prefix(Self.warmUp), to: one)
        _ = try await Self.send(warmUp, to: three)
        var (full, divided): ([Round], [Round]) = ([], [])
        for _ in 0..<Self.rounds {
            for isDivided in [false, true] {
                let requests = supply.take(3 * Self.perRound)
                let connections = isDivided ? Self.connections / 3 : Self.connections
                let round = (
                    one: try await Self.send(requests.prefix(Self.perRound), to: one),
                    three: try await Self.send(requests, to: three, connections: connections)
                )
                if isDivided { divided.append(round) } else { full.append(round) }
            }
        }
        return (full, divided)
    }

    /// - Parameter connections: to each node.
    /// - Returns: the processor time of one request.
    private static func send(
        _ requests: ArraySlice<ByteBuffer>, to party: Party, connections: Int = Self.connections
    ) async throws -> Use {
        let before = try Self.use(party)
        try await NotificationSupply.send(requests, to: party.nodes, connections: connections)
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
