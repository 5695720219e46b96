import AppStoreSimulator
import PerennialTestSupport
import PostgresHarness

/// Three nodes behind cables that can be cut, on a database that can be stopped, under load.
struct ChaosCluster {
    /// A node, and what its ways to the database and to its peers go through.
    struct Member {
        let node: SupervisedNode
        let toDatabase: PartitionProxy
        let fromPeers: PartitionProxy
    }

    let server: PostgresServer
    let members: [Member]
    let load: ClusterLoad
    let readers: OwnerReaders
    private let database: PostgresDatabase
    /// Of nearly every shard some.
    private let everything: CheckQuestion

    init() async throws {
        let server = try await onOwnThread { try PostgresServer() }
        let corpus = try await onOwnThread { try SignedCorpus(count: 5_000, seed: 31) }
        let fixture = try await ClusterFixture(nodes: 3, corpus: corpus, server: server)
        self.members = try (0..<3).map { number in
            let address = LoopbackAddress.unused()
            let toDatabase = try PartitionProxy(to: LoopbackAddress(port: Int(server.port)), knowsProcesses: false)
            let fromPeers = try PartitionProxy(to: address)
            let store = fixture.database.url(port: UInt16(toDatabase.port))
            let keys = "bind: \"\(address.text)\", advertise: \"127.0.0.1:\(fromPeers.port)\", lease: 3s"
            let node = SupervisedNode("node-\(number)") { try fixture.launch(number, store: store, cluster: keys) }
            return Member(node: node, toDatabase: toDatabase, fromPeers: fromPeers)
        }
        self.server = server
        self.database = fixture.database
        let nodes = self.members.map(\.node)
        self.load = ClusterLoad(corpus.notifications, to: nodes)
        self.readers = OwnerReaders(corpus.notifications, of: nodes)
        let subscriptions = Set(corpus.notifications.compactMap(\.originalTransactionID))
        self.everything = CheckQuestion(Array(subscriptions.sorted().prefix(1_000)))
    }

    /// Starts the nodes, and stops them in order when `body` is done.
    func run(_ body: () async throws -> Void) async throws {
        try await SupervisedNode.run(self.members.map(\.node), body)
    }

    /// Disturbs the cluster while notifications and questions come in, and waits until it serves all again, by itself.
    func live(through disturbance: Disturbance) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.load.run() }
            group.addTask { try await self.readers.run() }
            try await self.untilUsed(by: self.members)
            try await self.suffer(disturbance)
            try await self.untilServed(by: self.members)
            for member in self.members { try await self.until(200, by: member) }
            try await self.untilUsed(by: self.members)
            self.load.end()
            self.readers.end()
            try await group.waitForAll()
            try await self.database.untilInboxIsApplied()
        }
    }

    /// Waits until these nodes are ready, and own all shards together.
    func untilServed(by members: [Member]) async throws {
        try await SupervisedNode.untilServed(by: members.map(\.node))
    }

    /// Waits until notifications have come in, and each of these nodes has answered every question.
    func untilUsed(by members: [Member]) async throws {
        try await self.load.untilAcknowledged(50)
        try await self.readers.untilAnswered(5, by: members.map(\.node))
    }

    /// Waits until a node answers so when it is asked for what the owners of all shards know.
    func until(_ status: UInt, by member: Member) async throws {
        while true {
            if let node = member.node.node, (try? await self.everything.ownersStatus(by: node)) == status { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// What was sent, answered and kept so far.
    /// - Parameter earlier: the rows of an earlier history.
    func history(after earlier: [Int: History.ShardRows]) async throws -> History {
        var history = try await History(
            of: self.load, on: self.members.map(\.node), self.database, after: earlier)
        history.answers = self.readers.answers
        return history
    }
}
