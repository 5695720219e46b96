import NIOCore
import PostgresHarness

/// Sends notifications to a node alone and as many to several that share a store, round by round. The stores grow alike, since
/// a row costs more where there are more of them.
struct CostComparison {
    struct Party {
        var nodes: [NodeProcess]
        /// Whose processor time counts as well; nil for the nodes' alone.
        var server: PostgresServer?
    }

    struct Load {
        var name: String
        /// To the one node.
        var senders: Int
        /// To each of the several.
        var sendersEach: Int
        var rounds: Int
        /// To each of the several in a round, and the same to the one node.
        var perRound: Int
        /// Of a party altogether; nil for as fast as they are answered.
        var perSecond: Int?
    }

    /// Processor time.
    struct Use {
        var nodes: Duration
        var server: Duration

        var total: Duration { self.nodes + self.server }

        static func - (later: Self, earlier: Self) -> Self {
            Self(nodes: later.nodes - earlier.nodes, server: later.server - earlier.server)
        }

        static func / (use: Self, count: Int) -> Self {
            Self(nodes: use.nodes / count, server: use.server / count)
        }
    }

    /// What one notification took.
    private typealias Round = (one: Use, several: Use)

    /// Memory as PostgreSQL itself would take.
    static let serverSettings = ["shared_buffers=128MB"]
    private static let warmUp = 3_000

    private let one: Party
    private let several: Party
    private var rest: ArraySlice<ByteBuffer>

    /// How many notifications all of it takes.
    static func count(of loads: [Load], nodes: Int) -> Int {
        loads.reduce(nodes * Self.warmUp) { $0 + $1.rounds * nodes * $1.perRound }
    }

    init(_ traffic: NotificationTraffic, one: Party, several: Party) {
        self.one = one
        self.several = several
        self.rest = traffic.requests[...]
    }

    mutating func warmUp() async throws {
        let load = Load(name: "", senders: 128, sendersEach: 128, rounds: 1, perRound: Self.warmUp)
        _ = try await self.round(under: load)
    }

    /// What the several took of what the one did, under each load; and, where servers count as well, how much was theirs.
    mutating func figures(_ name: String, under loads: [Load], ratioAtMost goal: Double) async throws -> [Figure] {
        var figures: [Figure] = []
        for load in loads {
            var rounds: [Round] = []
            for _ in 0..<load.rounds { rounds.append(try await self.round(under: load)) }
            figures.append(
                Figure(
                    "\(name), \(load.name)", rounds.map(\.several.total).median() / .microseconds(1), "µs",
                    baseline: rounds.map(\.one.total).median() / .microseconds(1),
                    ratio: rounds.map { $0.several.total / $0.one.total }.median(), goal: .ratioAtMost(goal)))
            guard self.one.server != nil else { continue }
            figures.append(
                Figure(
                    "of it in PostgreSQL", rounds.map(\.several.server).median() / .microseconds(1), "µs",
                    baseline: rounds.map(\.one.server).median() / .microseconds(1)))
        }
        return figures
    }

    private mutating func round(under load: Load) async throws -> Round {
        let nodes = self.several.nodes.count
        let requests = Array(self.rest.prefix(nodes * load.perRound))
        self.rest = self.rest.dropFirst(requests.count)
        // A connection costs something, too: each carries as many whoever is asked.
        let times = nodes * load.sendersEach / load.senders
        let one = try await self.one.use(for: requests.count) {
            for part in requests.dealt(to: times) {
                try await Self.send([part], to: self.one, load.senders, load.perSecond)
            }
        }
        let several = try await self.several.use(for: requests.count) {
            try await Self.send(requests.dealt(to: nodes), to: self.several, load.sendersEach, load.perSecond)
        }
        return (one, several)
    }

    /// - Parameter parts: one for each node.
    private static func send(
        _ parts: [[ByteBuffer]], to party: Party, _ sendersEach: Int, _ perSecond: Int?
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (node, part) in zip(party.nodes, parts) {
                let generator = LoadGenerator(port: node.port, connections: sendersEach)
                group.addTask {
                    if let perSecond {
                        _ = try await generator.open(part, perSecond: perSecond / parts.count)
                    } else {
                        _ = try await generator.closed(part)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

extension [ByteBuffer] {
    /// In so many parts, as cards are.
    fileprivate func dealt(to count: Int) -> [[ByteBuffer]] {
        (0..<count).map { place in stride(from: place, to: self.count, by: count).map { self[$0] } }
    }
}

extension CostComparison.Party {
    /// Of each of `count` notifications that `work` sends.
    fileprivate func use(
        for count: Int, _ work: () async throws -> Void
    ) async throws -> CostComparison.Use {
        let before = try self.use()
        try await work()
        return (try self.use() - before) / count
    }

    /// Since it began.
    private func use() throws -> CostComparison.Use {
        CostComparison.Use(
            nodes: try self.nodes.map { try $0.use().processorTime }.reduce(.zero, +),
            server: try self.server.map { try ProcessUse.processorTime(ofAllUnder: $0.process) } ?? .zero)
    }
}
