import AppStoreSimulator
import Foundation
import PostgresHarness
import Testing

/// Two `perennial serve` processes, of which one gets more to verify than it can.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct OverloadTests {
    private static let lease = Duration.seconds(5)
    private let cluster: ClusterFixture

    init() async throws {
        self.cluster = try await ClusterFixture(nodes: 2, corpus: SignedCorpus(count: 300, seed: 41))
    }

    /// All that a lost lease would have changed.
    private struct Ownership: Equatable {
        let shards: [String]
        let nodes: [String]

        /// Blocks.
        init(_ database: PostgresDatabase) throws {
            self.shards = try database.query(
                "SELECT shard_id, epoch, owner_node, owner_incarnation FROM shard ORDER BY shard_id")
            self.nodes = try database.query(
                "SELECT node_id, incarnation, live_epoch, state FROM node ORDER BY node_id")
        }
    }

    private func ownership() async throws -> Ownership {
        let database = self.cluster.database
        return try await onOwnThread { try Ownership(database) }
    }

    /// Waits until each has its share, after which nothing moves by itself.
    private func untilDivided(among nodes: [NodeProcess]) async throws {
        while true {
            var owned: [Int] = []
            for node in nodes { owned.append(try await node.ownedShards()) }
            if owned.reduce(0, +) == NodeProcess.shardCount,
                owned.allSatisfy({ $0 >= NodeProcess.shardCount * 10 / (nodes.count * 11) })
            {
                return
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// As an attacker makes them: with chains of a root that nobody trusts, and genuine ones with another signature
    /// or content.
    private static func forgeries(of genuine: [[UInt8]]) throws -> [[UInt8]] {
        let foreign = try SignedCorpus(count: 100, seed: 43).notifications.map(\.signedPayload)
        let altered = genuine.prefix(100).flatMap { payload in
            payload.indices.filter { payload[$0] == UInt8(ascii: ".") }.map { dot in
                var copy = payload
                // Some way behind the beginning of the content, and of the signature.
                copy[dot + 40] = copy[dot + 40] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                return copy
            }
        }
        return foreign + altered
    }

    @Test(
        "verifying as much as the machine can costs no lease, whoever sends it",
        .timeLimit(.minutes(10)))
    func overloadIsNotDeath() async throws {
        // given: two nodes that have divided the shards among them, and subscriptions in all of them
        let terms = "lease: \(Self.lease.components.seconds)s"
        let nodes = [
            try await self.cluster.start(0, cluster: terms), try await self.cluster.start(1, cluster: terms),
        ]
        try await self.untilDivided(among: nodes)
        let known = self.cluster.corpus.notifications.filter { $0.status != nil }.prefix(40)
        for notification in known { #expect(try await nodes[1].notify(notification.signedPayload) == 200) }
        let before = try await self.ownership()

        // when: one is flooded for several leases, while owners are asked
        let payloads = self.cluster.corpus.notifications.map(\.signedPayload)
        let port = try #require(URL(string: nodes[0].url)?.port)
        let genuine = Flood(payloads, to: port)
        let forged = Flood(try await onOwnThread { try Self.forgeries(of: payloads) }, to: port)
        genuine.begin(connections: 32)
        forged.begin(connections: 32)
        let end = ContinuousClock.now + Self.lease * 3
        var answers: [UInt: Int] = [:]
        while .now < end {
            for id in known.compactMap(\.originalTransactionID) {
                let (status, _) = try await nodes[1].get("/v1/subscriptions/\(id)?consistency=owner")
                answers[status, default: 0] += 1
            }
        }
        try await genuine.end()
        try await forged.end()

        // then: it has refused what is forged, and everybody owns what he owned
        #expect(answers.keys.sorted() == [200], "\(answers)")
        #expect(Set(genuine.statuses.keys).subtracting([200, 503]).isEmpty, "\(genuine.statuses)")
        #expect(genuine.statuses[200, default: 0] > payloads.count)
        #expect(Set(forged.statuses.keys).subtracting([422, 503]).isEmpty, "\(forged.statuses)")
        #expect(forged.statuses[422, default: 0] > payloads.count)
        #expect(try await self.ownership() == before)
        for node in nodes {
            #expect(!node.process.errorOutput.contains("taken for dead"), "\(node.process.errorOutput)")
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }
}
