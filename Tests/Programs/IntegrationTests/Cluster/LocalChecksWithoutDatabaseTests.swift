import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness
import Testing

/// Two `perennial serve` processes that mirror each other's shards, whose database goes away: `local` checks need none of it.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct LocalChecksWithoutDatabaseTests {
    private let server: PostgresServer
    private let cluster: ClusterFixture
    private let ids: [String]

    init() async throws {
        let server = try await onOwnThread { try PostgresServer() }
        let corpus = try await onOwnThread { try SignedCorpus(count: 400, seed: 71) }
        self.server = server
        self.cluster = try await ClusterFixture(nodes: 2, corpus: corpus, server: server)
        self.ids = Set(corpus.notifications.filter { $0.status != nil }.compactMap(\.originalTransactionID)).sorted()
    }

    /// Two nodes that have divided the shards and mirror what was sent; none has loaded a row of it.
    private func start() async throws -> [NodeProcess] {
        var nodes: [NodeProcess] = []
        for number in 0..<2 {
            nodes.append(try await self.cluster.start(number, cluster: "lease: 15s", publishes: true))
        }
        try await NodeProcess.untilEvenlyDivided(among: nodes)
        for (index, notification) in self.cluster.corpus.notifications.enumerated() {
            while try await nodes[index % 2].notify(notification.signedPayload) != 200 {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        try await self.cluster.database.untilInboxIsApplied()
        return nodes
    }

    /// What a node mirrors, once it is all and fresh: ids of both nodes' shards together are asked of the mirror, not of tables.
    private func mirrored(by node: NodeProcess) async throws -> [NSDictionary] {
        let sent = self.cluster.corpus.notifications.filter { $0.status != nil }.count
        var last: [NSDictionary] = []
        var rest = 0
        // Nodes write by themselves of what has expired.
        while rest < 20 {
            try await Task.sleep(for: .milliseconds(50))
            guard let answer = try? await CheckQuestion(self.ids).ask(node, "local"), !answer.stale,
                answer.versions.reduce(0, +) >= sent
            else { continue }
            rest = answer.results == last ? rest + 1 : 0
            last = answer.results
        }
        return last
    }

    /// Each id is answered by itself, and all at a time.
    private func expectAnswers(_ expected: [NSDictionary], by node: NodeProcess) async throws {
        for (id, result) in zip(self.ids, expected) {
            #expect(try await CheckQuestion([id]).ask(node, "local").results == [result])
        }
        #expect(try await CheckQuestion(self.ids).ask(node, "local").results == expected)
    }

    private func takeDatabaseAway() async throws {
        let server = self.server
        try await onOwnThread { try server.stop(.kill) }
    }

    private func end(_ nodes: [NodeProcess]) async throws {
        let server = self.server
        try await onOwnThread { try server.start() }
        for node in nodes {
            node.process.send(SIGTERM)
            _ = await node.process.waitForExit()
        }
    }

    @Test("each node answers about its own shards what it was never asked before", .timeLimit(.minutes(10)))
    func answersWhatIsCold() async throws {
        // given
        let nodes = try await self.start()
        let expected = try await self.mirrored(by: nodes[0])
        #expect(try await self.mirrored(by: nodes[1]) == expected)
        // when
        try await self.takeDatabaseAway()
        // then
        for node in nodes { try await self.expectAnswers(expected, by: node) }
        // when: the lease is over too
        let owners = CheckQuestion([self.ids[0]])
        while try await owners.ownersStatus(by: nodes[0]) == 200 { try await Task.sleep(for: .milliseconds(200)) }
        // then
        try await self.expectAnswers(expected, by: nodes[0])
        while try await !CheckQuestion(self.ids).ask(nodes[0], "local").stale {
            try await Task.sleep(for: .milliseconds(100))
        }
        try await self.end(nodes)
    }

    @Test("after a takeover the survivor answers about all shards", .timeLimit(.minutes(10)))
    func answersAfterATakeover() async throws {
        // given: one node that has taken what the other owned, and knows how each log ends, but has loaded no row
        let nodes = try await self.start()
        let expected = try await self.mirrored(by: nodes[0])
        nodes[1].process.send(SIGKILL)
        _ = await nodes[1].process.waitForExit()
        while try await nodes[0].ownedShards() != NodeProcess.shardCount {
            try await Task.sleep(for: .milliseconds(100))
        }
        let others = CheckQuestion((0..<1_000).map { "1\($0)" })
        while (try? await others.ask(nodes[0], "owner")) == nil { try await Task.sleep(for: .milliseconds(100)) }
        // when
        try await self.takeDatabaseAway()
        // then
        try await self.expectAnswers(expected, by: nodes[0])
        try await self.end([nodes[0]])
    }
    @Test(.timeLimit(.minutes(10)))
    func `a database that hangs keeps nothing in memory from its answer`() async throws {
        // given: a node without a mirror, which has loaded all but one id
        let cable = try PartitionProxy(to: LoopbackAddress(port: Int(self.server.port)), knowsProcesses: false)
        let database = self.cluster.database.url(port: UInt16(cable.port))
        let node = try await self.cluster.start(0, cluster: "lease: 1m", store: database)
        for notification in self.cluster.corpus.notifications {
            while try await node.notify(notification.signedPayload) != 200 {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        while try await CheckQuestion(self.ids.dropLast()).ownersStatus(by: node) != 200 {
            try await Task.sleep(for: .milliseconds(50))
        }
        // when
        cable.cut()
        // then
        for consistency in ["local", "owner"] {
            let codes = try await CheckQuestion(self.ids).codes(by: node, consistency)
            #expect(codes == Array(repeating: nil, count: self.ids.count - 1) + ["storeUnavailable"])
        }
        cable.heal()
        while try await CheckQuestion(self.ids).ownersStatus(by: node) != 200 {
            try await Task.sleep(for: .milliseconds(50))
        }
        node.process.send(SIGTERM)
        _ = await node.process.waitForExit()
    }
}
