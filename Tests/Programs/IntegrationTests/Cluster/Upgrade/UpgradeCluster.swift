import AppStoreSimulator
import PerennialTestSupport
import PostgresHarness
import Synchronization
import Testing

/// Three nodes of today's release on one database, under load, which are replaced by nodes of the next one.
struct UpgradeCluster {
    /// Which release a node is of when it is started the next time.
    private final class Release: Sendable {
        let isNewer = Atomic(false)
    }

    private struct Member {
        let node: SupervisedNode
        let release: Release
    }

    let load: ClusterLoad
    private let fixture: ClusterFixture
    private let members: [Member]

    init() async throws {
        let corpus = try await onOwnThread { try SignedCorpus(count: 6_000, seed: 47) }
        // One more than there are nodes: it is refused in the end.
        let fixture = try await ClusterFixture(nodes: 4, corpus: corpus)
        let newer = try NewerRelease(database: fixture.database, root: corpus.root)
        self.members = (0..<3).map { number in
            let release = Release()
            let node = SupervisedNode("node-\(number)") {
                guard !release.isNewer.load(ordering: .acquiring) else { return try newer.launch("node-\(number)") }
                return try fixture.launch(number, store: fixture.store, cluster: Self.cluster)
            }
            return Member(node: node, release: release)
        }
        self.fixture = fixture
        self.load = ClusterLoad(corpus.notifications, to: self.members.map(\.node))
    }

    /// The lease is so long that a node which merely gets no processor for a while does not look dead.
    private static let cluster = "bind: \"127.0.0.1:0\", lease: 15s"

    var nodes: [SupervisedNode] { self.members.map(\.node) }

    /// Lets notifications come in while `body` runs, and returns when all that was sent is acknowledged and applied.
    func run(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            for node in self.nodes { group.addTask { try await node.supervise() } }
            try await self.untilServed()
            try await withThrowingTaskGroup { sending in
                sending.addTask { try await self.load.run() }
                try await body()
                self.load.end()
                try await sending.waitForAll()
            }
            try await self.fixture.database.untilInboxIsApplied()
            try await self.expectPromisesKept()
            for node in self.nodes { #expect(await node.stop() == 0) }
            group.cancelAll()
        }
    }

    /// Stops a node in order and starts it as one of the next release, as its supervisor would.
    func upgrade(_ number: Int) async throws {
        let member = self.members[number]
        #expect(await member.node.stop() == 0)
        member.release.isNewer.store(true, ordering: .releasing)
        member.node.resume()
        try await self.untilServed()
        try await self.load.untilAcknowledged(50)
    }

    /// Waits until all nodes are ready, each owns some shards, and together they own all.
    private func untilServed() async throws {
        while true {
            var owned: [Int] = []
            for node in self.nodes { owned.append(await node.isReady() ? await node.ownedShards() : 0) }
            if owned.allSatisfy({ $0 > 0 }), owned.reduce(0, +) == NodeProcess.shardCount { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// `perennial cluster finalize`, asked of one of the nodes.
    func finalize(by number: Int) async throws -> PerennialProcess.Result {
        let url = try #require(self.nodes[number].node).url
        return try await PerennialProcess.run("cluster", "finalize", "--node", url)
    }

    /// Starts one more node of today's release, and waits for its end.
    func startOlder() async throws -> (status: Int32, errors: String) {
        let process = try self.fixture.launch(3, store: self.fixture.store, cluster: Self.cluster)
        return (await process.waitForExit(), process.errorOutput)
    }

    private func expectPromisesKept() async throws {
        let history = try await History(of: self.load, on: self.nodes, self.fixture.database)
        #expect(history.logs.count == self.nodes.count)
        #expect(history.violations.isEmpty)
        #expect(self.load.strange.isEmpty)
    }
}
