import AppStoreSimulator
import PerennialTestSupport
import PostgresHarness

/// Three nodes under load, on a primary that has a standby.
struct FailoverCluster {
    let nodes: [SupervisedNode]
    let load: ClusterLoad
    let readers: OwnerReaders
    let notifications: [SignedNotification]
    /// The store, on the primary and on the standby.
    let first: PostgresDatabase
    let second: PostgresDatabase
    /// From the standby to the primary.
    let replication: PartitionProxy

    init() async throws {
        let primary = try await onOwnThread { try PostgresServer() }
        let replication = try PartitionProxy(to: LoopbackAddress(port: Int(primary.port)), knowsProcesses: false)
        let standby = try await onOwnThread {
            try PostgresServer(standbyOf: primary, port: UInt16(replication.port))
        }
        let corpus = try await onOwnThread { try SignedCorpus(count: 3_000, seed: 71) }
        let fixture = try await ClusterFixture(nodes: 3, corpus: corpus, server: primary)
        let hosts = [primary, standby].map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        // A server that was killed refuses at once; one that lives may be slow on this machine.
        let store = "postgresql://postgres@\(hosts)/\(fixture.database.name)?sslmode=disable&connect_timeout=60"
        self.nodes = (0..<3).map { number in
            SupervisedNode("node-\(number)") {
                try fixture.launch(number, store: store, cluster: "bind: \"127.0.0.1:0\", lease: 15s")
            }
        }
        self.load = ClusterLoad(corpus.notifications, to: self.nodes)
        self.readers = OwnerReaders(corpus.notifications, of: self.nodes)
        self.notifications = corpus.notifications
        self.first = fixture.database
        self.second = fixture.database.copy(on: standby)
        self.replication = replication
    }

    /// Commits are answered only when the standby has them, too.
    func waitForStandby() async throws {
        let primary = self.first.server
        try await onOwnThread { try primary.waitForStandby() }
    }

    /// Waits until each node has its share, after which no shard moves by itself.
    func untilDivided() async throws {
        try await NodeProcess.untilEvenlyDivided(among: self.nodes.compactMap(\.node))
    }

    /// Has everybody used for a while.
    func untilUsed() async throws {
        try await self.load.untilAcknowledged(50)
        try await self.readers.untilAnswered(5, by: self.nodes)
    }

    func rowsOfPrimary() async throws -> [Int: History.ShardRows] {
        let database = self.first
        return try await onOwnThread { try database.shardRows() }
    }

    /// The primary is gone, for good.
    /// - Returns: the rows that the standby has.
    func losePrimary() async throws -> [Int: History.ShardRows] {
        let (primary, copy) = (self.first.server, self.second)
        return try await onOwnThread {
            try primary.stop(.kill)
            return try copy.shardRows()
        }
    }

    func promoteStandby() async throws {
        let standby = self.second.server
        try await onOwnThread { try standby.promote() }
    }

    /// What was sent, acknowledged and kept so far, by what the standby says.
    func history(after earlier: [Int: History.ShardRows]) async throws -> History {
        try await self.second.untilInboxIsApplied()
        var history = try await History(of: self.load, on: self.nodes, self.second, after: earlier)
        history.answers = self.readers.answers
        return history
    }
}
