import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness
import Testing

/// Two `perennial serve` processes whose database goes away for a part of their lease.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct DatabaseOutageTests {
    private let server: PostgresServer
    private let cluster: ClusterFixture
    private var notifications: [SignedNotification] { self.cluster.corpus.notifications }

    init() async throws {
        let server = try await onOwnThread { try PostgresServer() }
        let corpus = try await onOwnThread { try SignedCorpus(count: 200, seed: 67) }
        self.server = server
        self.cluster = try await ClusterFixture(nodes: 2, corpus: corpus, server: server)
    }

    /// Of such a lease most is left after the outage for nodes that merely get no processor for a while.
    private func start(_ number: Int) async throws -> NodeProcess {
        try await self.cluster.start(number, cluster: "lease: 1m")
    }

    private func notify(_ notifications: some Sequence<SignedNotification>, _ nodes: [NodeProcess]) async throws {
        for (index, notification) in notifications.enumerated() {
            while try await nodes[index % nodes.count].notify(notification.signedPayload) != 200 {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// - Returns: the versions that the owners tell, as soon as they tell any.
    private func untilAnswered(_ question: CheckQuestion, by node: NodeProcess) async throws -> [Int] {
        while true {
            if let answer = try? await question.ask(node, "owner") { return answer.versions }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func query(_ question: String) async throws -> [String] {
        let database = self.cluster.database
        return try await onOwnThread { try database.query(question) }
    }

    /// Waits until nodes do not write by themselves any more, as they do of what has expired: a commit that the end of the
    /// database cuts short costs an epoch, and no ownership.
    private func untilNothingIsWritten() async throws {
        try await self.cluster.database.untilInboxIsApplied()
        var last: [String] = []
        var rest = 0
        while rest < 10 {
            let heads = try await self.query("SELECT sum(head_seq) FROM shard")
            rest = heads == last ? rest + 1 : 0
            last = heads
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    @Test("an outage of the database that is shorter than the lease costs no ownership", .timeLimit(.minutes(10)))
    func costsNoOwnership() async throws {
        // given: two nodes that have divided the shards, and know what they will be asked
        let nodes = [try await self.start(0), try await self.start(1)]
        try await NodeProcess.untilEvenlyDivided(among: nodes)
        try await self.notify(self.notifications.prefix(100), nodes)
        try await self.untilNothingIsWritten()
        let subscriptions = Set(
            self.notifications.prefix(100).filter { $0.status != nil }.compactMap(\.originalTransactionID))
        let question = CheckQuestion(subscriptions.sorted())
        let known = try await self.untilAnswered(question, by: nodes[0])
        #expect(try await self.untilAnswered(question, by: nodes[1]) == known)
        let before = try await Ownership(self.cluster.database)
        let owners = try await self.cluster.database.shardOwners()

        // when
        let server = self.server
        try await onOwnThread { try server.stop(.kill) }
        try await Task.sleep(for: .seconds(5))
        // then: their lease runs on
        for node in nodes { #expect(try await question.ask(node, "owner").versions == known) }

        // when
        try await onOwnThread { try server.start() }
        try await NodeProcess.untilAllBeat(in: self.cluster.database)
        // then: nobody was taken for dead, and everybody owns what he owned, under the same epochs
        #expect(try await Ownership(self.cluster.database) == before)
        for node in nodes { #expect(try await self.untilAnswered(question, by: node) == known) }

        // when
        try await self.notify(self.notifications.dropFirst(100), nodes)
        // then: what was acknowledged before and after is there; and whoever writes has read again how his log ends
        try await self.cluster.expectOnce(self.notifications, on: nodes)
        #expect(try await Ownership(self.cluster.database).nodes == before.nodes)
        #expect(try await self.cluster.database.shardOwners().mapValues(\.node) == owners.mapValues(\.node))
        for node in nodes {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }
}
