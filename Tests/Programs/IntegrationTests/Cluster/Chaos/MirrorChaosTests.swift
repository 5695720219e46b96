import AppStoreSimulator
import PerennialTestSupport
import PostgresHarness
import Testing

/// Three `perennial serve` processes that mirror each other's shards, of which each is killed once while notifications and
/// `local` checks go on.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct MirrorChaosTests {
    private let cluster: ClusterFixture
    private let nodes: [SupervisedNode]
    private let load: ClusterLoad
    private let readers: LocalReaders

    init() async throws {
        let corpus = try await onOwnThread { try SignedCorpus(count: 6_000, seed: 53) }
        let cluster = try await ClusterFixture(nodes: 3, corpus: corpus)
        self.cluster = cluster
        // The lease is so long that what a lost node owned is nobody's for a while, and that no other looks dead.
        let keys = "bind: \"127.0.0.1:0\", lease: 10s"
        // Nobody stops the database: however busy the machine is, a node waits for it.
        let store = cluster.database.url("sslmode=disable&connect_timeout=60")
        self.nodes = (0..<3).map { number in
            SupervisedNode("node-\(number)") {
                try cluster.launch(number, store: store, cluster: keys, publishes: true)
            }
        }
        // So slowly that there is something new until the end, also where everything takes longer.
        self.load = ClusterLoad(corpus.notifications, to: self.nodes, pause: .milliseconds(300))
        self.readers = LocalReaders(corpus.notifications, of: self.nodes)
    }

    /// How many answers each node gives before, during and after an outage.
    private static let answers = 100

    /// Waits until all nodes own a part, and answer by copies of their own that follow what happens.
    private func untilWell() async throws {
        try await SupervisedNode.untilServed(by: self.nodes)
        try await self.cluster.untilDivided(among: self.nodes.compactMap(\.node))
        try await self.readers.untilAnswered(Self.answers, by: self.nodes)
    }

    /// Kills a node, and starts it again when the others have all that it had.
    private func lose(_ victim: SupervisedNode, others: [SupervisedNode]) async throws {
        victim.keepDown()
        try await self.readers.untilAnswered(Self.answers, by: others)
        try await SupervisedNode.untilServed(by: others)
        try await self.load.untilAcknowledged(50)
        try await self.readers.untilAnswered(Self.answers, by: others)
        victim.resume()
    }

    @Test(
        "local checks are answered by every node that lives, and never go back, while one after the other is lost",
        .timeLimit(.minutes(20)))
    func answersGoOn() async throws {
        try await SupervisedNode.run(self.nodes) {
            try await withThrowingTaskGroup { group in
                // given
                group.addTask { try await self.load.run() }
                group.addTask { try await self.readers.run() }
                try await self.untilWell()
                // when
                for victim in self.nodes {
                    try await self.lose(victim, others: self.nodes.filter { $0.name != victim.name })
                    try await self.untilWell()
                }
                self.load.end()
                self.readers.end()
                try await group.waitForAll()
            }
            // then
            #expect(self.readers.strange.isEmpty)
            #expect(self.load.strange.isEmpty)
            // and in the end all of them say what the owners say
            try await self.cluster.database.untilInboxIsApplied()
            let ids = Set(self.cluster.corpus.notifications.compactMap(\.originalTransactionID)).sorted()
            let question = CheckQuestion(ids)
            for node in self.nodes { try await question.untilMirrored(try #require(node.node)) }
        }
        #expect(self.nodes.flatMap(\.ends).isEmpty)
    }
}
