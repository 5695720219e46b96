import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness
import Testing

/// `perennial cluster` and `perennial shards`, with nodes that run.
@Suite(.onOwnThreads, .enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct ClusterCommandTests {
    private static let shardCount = 256

    private struct Cluster: Decodable {
        struct Node: Decodable {
            let id: String
            let state: String
            let endpoint: String?
            let leaseMilliseconds: Int?
            let shardsOwned: Int
            let featureLevel: Int
        }
        struct Shards: Decodable, Equatable {
            let count: Int
            let withoutOwner: Int
        }
        struct Inbox: Decodable, Equatable {
            let waiting: Int
            let parked: Int
            let oldest: String?
        }

        let answeredBy: String
        let featureLevel: Int
        let nodes: [Node]
        let shards: Shards
        let inbox: Inbox?
    }

    private struct Shard: Decodable, Equatable {
        let shard: Int
        let owner: String?
        let ownerLives: Bool
        let epoch: Int
        let head: Int
    }

    private func status(of url: String) async throws -> Cluster {
        let result = try await PerennialProcess.run("cluster", "status", "--output", "json", "--node", url)
        try #require(result.status == 0, "\(result.errors)")
        return try JSONDecoder().decode(Cluster.self, from: Data(result.output.utf8))
    }

    private func shards(of url: String, _ arguments: String...) async throws -> [Shard] {
        let words = ["shards", "list", "--output", "json", "--node", url] + arguments
        let result = try await PerennialProcess(arguments: words).result()
        try #require(result.status == 0, "\(result.errors)")
        return try result.output.split(separator: "\n").map { line in
            try JSONDecoder().decode(Shard.self, from: Data(line.utf8))
        }
    }

    @Test("a node alone is shown with all of its shards, and there is nowhere to move them")
    func showsANodeAlone() async throws {
        // given
        let fixture = try NodeFixture()
        let (node, url) = try await fixture.start()
        let active = try fixture.lifecycle(status: 1)
        try await fixture.post(active.notifications, to: url)

        // when
        let status = try await self.status(of: url)
        let shards = try await self.shards(of: url)
        let others = try await self.shards(of: url, "--owner", "node-2")
        let summary = try await PerennialProcess.run("cluster", "status", "--node", url)
        let table = try await PerennialProcess.run("shards", "list", "--node", url)
        let unmoved = try await PerennialProcess.run("shards", "move", "7", "--to", status.answeredBy, "--node", url)
        let elsewhere = try await PerennialProcess.run("shards", "move", "7", "--to", "node-2", "--node", url)
        let unknown = try await PerennialProcess.run("shards", "move", "256", "--to", "node-2", "--node", url)
        let finalized = try await PerennialProcess.run("cluster", "finalize", "--node", url)
        let finalization = try await PerennialProcess.run("cluster", "finalize", "--output", "json", "--node", url)
        node.terminate()
        _ = await node.result()

        // then
        #expect(status.nodes.map(\.id) == [status.answeredBy])
        #expect(status.nodes.map(\.shardsOwned) == [Self.shardCount])
        #expect(status.nodes[0].endpoint == nil)
        #expect(status.shards == Cluster.Shards(count: Self.shardCount, withoutOwner: 0))
        #expect(status.inbox == nil)
        #expect(status.featureLevel == 10)
        #expect(status.nodes.map(\.featureLevel) == [10])
        #expect(shards.map(\.shard) == Array(0..<Self.shardCount))
        #expect(shards.allSatisfy { $0.owner == status.answeredBy && $0.ownerLives })
        #expect(shards.map(\.head).reduce(0, +) >= active.notifications.count)
        #expect(others.isEmpty)
        #expect(summary.output.contains("without owner  0\n"))
        #expect(table.output.split(separator: "\n").count == Self.shardCount + 1)
        #expect(finalized.status == 0)
        #expect(finalized.output == "The store is already at feature level 10.\n")
        #expect(finalization.output == "{\"featureLevel\":10,\"raised\":false}\n")
        #expect(unmoved.status == 0)
        #expect(unmoved.output.contains(status.answeredBy))
        #expect(elsewhere.status == 1)
        #expect(elsewhere.errorLines == ["error: invalidRequest: no node that lives is called node-2"])
        #expect(unknown.status == 1)
        #expect(unknown.errorLines == ["error: invalidRequest: there is no shard 256"])
    }

    @Test("a shard that is moved is served by the node it was moved to", .timeLimit(.minutes(5)))
    func movesAShard() async throws {
        // given: three nodes that have divided the shards among them, and notifications
        let corpus = try SignedCorpus(count: 300, seed: 31)
        let database = try PostgresServer.shared().makeDatabase()
        let directories = try (0..<3).map { _ in try TemporaryDirectory() }
        var nodes: [NodeProcess] = []
        for (number, directory) in directories.enumerated() {
            nodes.append(try await self.start(number, in: directory, database, corpus))
        }
        let divided = try await self.untilDivided(nodes[0].url)
        #expect(divided.nodes.map(\.id) == ["node-0", "node-1", "node-2"])
        #expect(divided.nodes.map(\.state) == ["live", "live", "live"])
        #expect(divided.nodes.allSatisfy { $0.leaseMilliseconds == 15_000 && $0.endpoint != nil })
        #expect(divided.answeredBy == "node-0")
        for notification in corpus.notifications {
            #expect(try await nodes[0].notify(notification.signedPayload) == 200)
        }
        while try await self.status(of: nodes[0].url).inbox?.waiting != 0 { try await Self.pause() }

        // when: the one that owns the most gives its fullest to the one that owns the fewest, and the third is asked to
        // see to it
        let ordered = divided.nodes.sorted { $0.shardsOwned < $1.shardsOwned }
        let (to, asked, from) = (ordered[0].id, ordered[1].id, ordered[2].id)
        let url = try #require(zip(divided.nodes, nodes).first { $0.0.id == asked }).1.url
        let shard = try #require(try await self.shards(of: url, "--owner", from).max { $0.head < $1.head })
        let result = try await PerennialProcess.run(
            "shards", "move", String(shard.shard), "--to", to, "--output", "json", "--node", url)

        // then: the answer is the new row, every node knows it, and each notification is still there once
        try #require(result.status == 0, "\(result.errors)")
        let moved = try JSONDecoder().decode(Shard.self, from: Data(result.output.utf8))
        #expect(moved.shard == shard.shard)
        #expect(moved.owner == to)
        #expect(moved.ownerLives)
        #expect(moved.epoch > shard.epoch)
        #expect(moved.head >= shard.head)
        for node in nodes {
            let found = try await self.shards(of: node.url, "--owner", to)
            #expect(found.contains { $0.shard == shard.shard })
            #expect(Set(try await self.uuids(on: node)) == Set(corpus.notifications.map(\.uuid)))
        }
        #expect(try await self.status(of: url).shards == Cluster.Shards(count: Self.shardCount, withoutOwner: 0))

        // when: it is moved to where there is nobody
        let nowhere = try await PerennialProcess.run(
            "shards", "move", String(shard.shard), "--to", "node-9", "--node", url)
        // then
        #expect(nowhere.status == 1)
        #expect(nowhere.errorLines == ["error: invalidRequest: no node that lives is called node-9"])

        for node in nodes {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }

    private func uuids(on node: NodeProcess) async throws -> [String] {
        try await node.allEvents().compactMap { $0["notificationUUID"] as? String }
    }

    private func start(
        _ number: Int, in directory: TemporaryDirectory, _ database: PostgresDatabase, _ corpus: SignedCorpus
    ) async throws -> NodeProcess {
        let made = try await PerennialProcess.run("keys", "new", "--out", directory.file("curve.key"))
        try #require(made.status == 0, "\(made.errors)")
        return try await NodeProcess.start(
            in: directory, root: corpus.root,
            sections: """
                node: { id: node-\(number) }
                store: { url: "\(database.url)" }
                cluster: { bind: "127.0.0.1:0", curveKeyFile: curve.key, lease: 15s }
                """)
    }

    /// Waits until every shard is owned and no node holds a tenth more or less than its share: then nothing moves by
    /// itself.
    private func untilDivided(_ url: String) async throws -> Cluster {
        while true {
            let status = try await self.status(of: url)
            if status.nodes.allSatisfy({ (77...94).contains($0.shardsOwned) }), status.shards.withoutOwner == 0 {
                return status
            }
            try await Self.pause()
        }
    }

    /// Between polls: the test does not depend on its length.
    private static func pause() async throws { try await Task.sleep(for: .milliseconds(200)) }
}
