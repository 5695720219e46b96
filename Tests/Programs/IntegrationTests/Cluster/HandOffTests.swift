import AppStoreSimulator
import Foundation
import NIOCore
import PerennialTestSupport
import PostgresHarness
import Testing

/// Two `perennial serve` processes that give shards to each other, while notifications and questions about these come in at
/// both.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct HandOffTests {
    private static let moves = 40
    private let cluster: ClusterFixture
    /// Those that hear the most.
    private let subscriptions: [String]
    /// About these.
    private let notifications: [SignedNotification]

    init() async throws {
        let corpus = try await onOwnThread { try SignedCorpus(count: 800, seed: 59) }
        let counts = corpus.notifications.filter { $0.status != nil }.compactMap(\.originalTransactionID)
            .reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let subscriptions = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(24).map(\.key)
        self.subscriptions = subscriptions
        self.notifications = corpus.notifications.filter { notification in
            notification.originalTransactionID.map(subscriptions.contains) ?? false
        }
        self.cluster = try await ClusterFixture(nodes: 2, corpus: corpus)
    }

    /// Two that have divided the shards, and have answered each other's questions about all of the subscriptions.
    private func startBoth() async throws -> [NodeProcess] {
        // The lease is so long that a node which merely gets no processor for a while does not look dead.
        let nodes = [
            try await self.cluster.start(0, cluster: "lease: 1m"),
            try await self.cluster.start(1, cluster: "lease: 1m"),
        ]
        try await NodeProcess.untilEvenlyDivided(among: nodes)
        for subscription in self.subscriptions {
            let first = try #require(self.notifications.first { $0.originalTransactionID == subscription })
            while try await nodes[0].notify(first.signedPayload) != 200 {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        try await self.cluster.database.untilInboxIsApplied()
        let question = CheckQuestion(self.subscriptions)
        for node in nodes {
            while (try? await question.ask(node, "owner")) == nil { try await Task.sleep(for: .milliseconds(50)) }
        }
        return nodes
    }

    /// Shards of the subscriptions, all of one node: the one that owns the most, so that it may give one away and nothing
    /// moves by itself.
    private func shardsToMove() async throws -> [Int] {
        let owners = try await self.cluster.database.shardOwners()
        let loads = owners.values.reduce(into: [:]) { $0[$1.node, default: 0] += 1 }
        let home = loads.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        let written = try await onOwnThread { [database = self.cluster.database] in
            try database.query("SELECT shard_id FROM shard WHERE head_seq > 0 ORDER BY shard_id").compactMap { Int($0) }
        }
        return written.filter { owners[$0]?.node == home }
    }

    private func move(_ shard: Int, to name: String, asking node: NodeProcess) async throws {
        let (status, body) = try await node.post(
            "{\"to\":\"\(name)\"}", to: "/v1/shards/\(shard)/move", patience: .minutes(2))
        #expect(status == 200, "\(String(decoding: body, as: UTF8.self))")
    }

    @Test("whoever sends and asks while shards are moved gets 200 each time, at either node", .timeLimit(.minutes(10)))
    func nobodyIsRefused() async throws {
        // given
        let nodes = try await self.startBoth()
        let shards = try await self.shardsToMove()
        let before = try await self.cluster.database.shardOwners()
        let home = try #require(shards.first.flatMap { before[$0]?.node })
        let away = home == "node-0" ? "node-1" : "node-0"
        let traffic = SteadyTraffic(self.notifications, about: self.subscriptions, to: nodes)

        // when: they are moved there and back, one after the other, by their owner or through the other node
        try await withThrowingTaskGroup { group in
            group.addTask { try await traffic.run() }
            for move in 0..<Self.moves {
                let shard = shards[move / 2 % shards.count]
                try await self.move(
                    shard, to: move.isMultiple(of: 2) ? away : home, asking: nodes[move / 2 % nodes.count])
                try await traffic.untilAnswered()
            }
            traffic.end()
            try await group.waitForAll()
        }

        // then
        #expect(traffic.refusals.isEmpty)
        try await self.cluster.expectOnce(self.notifications.filter { traffic.sent.contains($0.uuid) }, on: nodes)
        // and each has moved as often as was wanted: given by its owner, and taken once more by who gets it
        var expected = before
        for move in 0..<Self.moves { expected[shards[move / 2 % shards.count]]?.epoch += 2 }
        #expect(try await self.cluster.database.shardOwners() == expected)
        for node in nodes {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }
}
