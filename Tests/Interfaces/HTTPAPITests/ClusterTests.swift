import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import Testing

/// The cluster as its store has it, told and changed over HTTP.
@Suite struct ClusterTests {
    /// Of the node that is asked, which takes shards only when it is started.
    private static let asked = "perennial"
    private let store = InMemoryEventStore(shardCount: 16)

    /// A node that lives and can be called by nobody.
    private func begin(_ id: String, endpoint: String? = nil, level: Int = 1) throws -> NodeRun {
        let record = NodeRecord(
            id: NodeID(rawValue: id), incarnation: Incarnation(rawValue: 1), endpoint: endpoint,
            featureLevel: FeatureLevel(rawValue: level))
        return try self.store.begin(record, lease: .milliseconds(5_500))
    }

    private func move(_ node: Node, _ shard: String, _ body: String) async throws -> HTTPConnection.Answer {
        try await node.send("POST", "/v1/shards/\(shard)/move", body: body)
    }

    @Test("nodes are shown with what they own, and shards without an owner are counted")
    func showsNodes() async throws {
        // given: one lives, one has left what nobody has taken yet, one was taken for dead
        let living = try self.begin("node-1", endpoint: "tcp://10.0.0.5:7000", level: 3)
        let gone = try self.begin("node-2")
        _ = try self.begin("node-3")
        _ = self.store.take(Array(self.store.view().shards[..<9]), as: living)
        _ = self.store.take(Array(self.store.view().shards[9..<12]), as: gone)
        self.store.leave(gone)
        #expect(self.store.depose(try #require(self.store.view().nodes.last)))

        try await Node.run(store: self.store, servicing: false) { node in
            // when
            let answer = try await node.send("GET", "/v1/cluster")
            // then
            #expect(answer.status == 200)
            #expect(answer.json["answeredBy"] as? String == Self.asked)
            #expect(answer.json["featureLevel"] as? Int == 1)
            #expect(answer.json["shards"] as? [String: Int] == ["count": 16, "withoutOwner": 7])
            let nodes = try #require(answer.json["nodes"] as? [[String: Any]])
            #expect(nodes.map { $0["id"] as? String } == ["node-1", "node-2", "node-3"])
            #expect(nodes.map { $0["state"] as? String } == ["live", "left", "deposed"])
            #expect(nodes.map { $0["shardsOwned"] as? Int } == [9, 3, 0])
            #expect(nodes.map { $0["featureLevel"] as? Int } == [3, 1, 1])
            #expect(nodes.map { $0["leaseMilliseconds"] as? Int } == [5_500, 5_500, 5_500])
            #expect(nodes[0]["endpoint"] as? String == "tcp://10.0.0.5:7000")
            #expect(nodes[1]["endpoint"] is NSNull)
        }
    }

    @Test("what waits for an owner is shown with the moment the oldest of it came")
    func showsTheInbox() async throws {
        try await Node.run(store: self.store, servicing: false) { node in
            let empty = try await node.send("GET", "/v1/cluster").json["inbox"] as? [String: Any]
            #expect(empty?["waiting"] as? Int == 0)
            #expect(empty?["parked"] as? Int == 0)
            #expect(empty?["oldest"] is NSNull)

            for (key, receivedAt) in [(UInt8(1), Int64(2_000)), (2, 1_000), (3, 0)] {
                self.store.put(
                    InboxRow(dedupKey: [key], shard: ShardID(rawValue: 3), receivedAt: receivedAt, raw: [key]))
            }
            self.store.recordFailedAttempt([[3]], parkingAt: 1, at: 3_000)
            let full = try await node.send("GET", "/v1/cluster").json["inbox"] as? [String: Any]
            #expect(full?["waiting"] as? Int == 2)
            #expect(full?["parked"] as? Int == 1)
            #expect(full?["oldest"] as? String == "1970-01-01T00:00:01.000Z")
        }
    }

    @Test("every shard is listed in order, with its owner and whether he lives")
    func listsShards() async throws {
        let gone = try self.begin("node-2")
        _ = self.store.take(Array(self.store.view().shards[..<1]), as: gone)
        self.store.leave(gone)
        let living = try self.begin("node-1")
        _ = self.store.take(Array(self.store.view().shards[1..<2]), as: living)

        try await Node.run(store: self.store, servicing: false) { node in
            let answer = try await node.send("GET", "/v1/shards")

            #expect(answer.status == 200)
            let shards = try #require(answer.json["shards"] as? [[String: Any]])
            #expect(shards.map { $0["shard"] as? Int } == Array(0..<16))
            #expect(shards[..<2].map { $0["owner"] as? String } == ["node-2", "node-1"])
            #expect(shards[2...].allSatisfy { $0["owner"] is NSNull })
            #expect(shards[..<3].map { $0["ownerLives"] as? Bool } == [false, true, false])
            #expect(shards[..<3].map { $0["epoch"] as? Int } == [1, 1, 0])
            #expect(shards.allSatisfy { $0["head"] as? Int == 0 })
        }
    }

    @Test("a node alone owns every shard, and goes by no lease")
    func showsANodeAlone() async throws {
        let bought = try TestStore.shared.get().notification(id: "1")
        try await Node.run(store: self.store) { node in
            #expect(try await node.send("POST", "/v1/apple/notifications", body: bought).status == 200)

            let answer = try await node.send("GET", "/v1/cluster")
            let shards = try await node.send("GET", "/v1/shards").json["shards"] as? [[String: Any]]

            #expect(answer.json["shards"] as? [String: Int] == ["count": 16, "withoutOwner": 0])
            let nodes = try #require(answer.json["nodes"] as? [[String: Any]])
            #expect(nodes.map { $0["shardsOwned"] as? Int } == [16])
            #expect(nodes[0]["leaseMilliseconds"] is NSNull)
            #expect(shards?.compactMap { $0["head"] as? Int }.reduce(0, +) == 1)
            #expect(shards?.allSatisfy { $0["owner"] as? String == Self.asked } == true)
        }
    }

    @Test(
        "a move that is not one names what is wrong",
        arguments: [
            ("x", #"{"to":"node-2"}"#, "invalidParameter", "shard: not the number of a shard"),
            ("-1", #"{"to":"node-2"}"#, "invalidParameter", "shard: not the number of a shard"),
            ("+1", #"{"to":"node-2"}"#, "invalidParameter", "shard: not the number of a shard"),
            ("1.0", #"{"to":"node-2"}"#, "invalidParameter", "shard: not the number of a shard"),
            ("65536", #"{"to":"node-2"}"#, "invalidParameter", "shard: not the number of a shard"),
            ("%31%ff", #"{"to":"node-2"}"#, "invalidParameter", "shard: not percent-encoded UTF-8"),
            ("16", #"{"to":"node-2"}"#, "invalidRequest", "there is no shard 16"),
            ("1", "", "malformedBody", "ends too early"), ("1", "[]", "malformedBody", "wrong type"),
            ("1", #""node-2""#, "malformedBody", "wrong type"), ("1", #"{"to":2}"#, "malformedBody", "wrong type"),
            ("1", #"{"to":"node-2"}x"#, "malformedBody", "bytes after the document"),
            ("1", "{}", "malformedBody", "to is missing"),
            ("1", #"{"to":"node-2","epoch":3}"#, "malformedBody", "unknown member"),
            ("1", #"{"to":""}"#, "malformedBody", "to is not 1 to 128"),
            ("1", #"{"to":"node 2"}"#, "malformedBody", "to is not 1 to 128"),
            ("1", #"{"to":"node-9"}"#, "invalidRequest", "no node that lives is called node-9"),
            ("1", #"{"to":"node-3"}"#, "invalidRequest", "no node that lives is called node-3"),
            ("1", #"{"to":"node-2"}"#, "invalidRequest", "shards are assigned"),
        ])
    func refusesMoves(_ shard: String, _ body: String, _ code: String, _ detail: String) async throws {
        // given: beside the node that owns all, one that lives and one that has left
        try await Node.run(store: self.store) { node in
            _ = try self.begin("node-2")
            self.store.leave(try self.begin("node-3"))

            let answer = try await self.move(node, shard, body)

            #expect(answer.status == 400)
            #expect(answer.code == code)
            #expect((answer.json["detail"] as? String)?.contains(detail) == true, "\(answer.body)")
            #expect(answer.headers["content-type"] == "application/problem+json")
        }
    }

    @Test("to move a shard to its owner changes nothing, and shows it")
    func leavesAShardWhereItIs() async throws {
        try await Node.run(store: self.store) { node in
            let answer = try await self.move(node, "3", #"{"to":"perennial"}"#)

            #expect(answer.status == 200)
            #expect(Set(answer.json.keys) == ["shard", "owner", "ownerLives", "epoch", "head"])
            #expect(answer.json["shard"] as? Int == 3)
            #expect(answer.json["owner"] as? String == Self.asked)
            #expect(answer.json["ownerLives"] as? Bool == true)
            #expect(answer.json["epoch"] as? Int == 1)
        }
    }

    @Test("the feature level is raised once all living nodes support it, and otherwise says who does not")
    func finalizes() async throws {
        // given
        _ = try self.begin("node-1", level: 2)
        let older = [try self.begin("node-2"), try self.begin("node-3")]
        try await Node.run(store: self.store, servicing: false) { node in
            // when
            let refused = try await node.send("POST", "/v1/cluster/finalize")
            // then
            #expect(refused.status == 409)
            #expect(refused.code == "olderNodes")
            let names = "feature level 2 is not supported yet by node-2 (level 1), node-3 (level 1): "
            #expect((refused.json["detail"] as? String)?.hasPrefix(names) == true, "\(refused.body)")
            #expect(self.store.featureLevel() == .first)

            // when: they have left
            for run in older { self.store.leave(run) }
            let raised = try await node.send("POST", "/v1/cluster/finalize")
            let again = try await node.send("POST", "/v1/cluster/finalize")
            // then
            #expect(raised.status == 200)
            #expect(Set(raised.json.keys) == ["featureLevel", "raised"])
            #expect(raised.json["featureLevel"] as? Int == 2)
            #expect(raised.json["raised"] as? Bool == true)
            #expect(again.json["featureLevel"] as? Int == 2)
            #expect(again.json["raised"] as? Bool == false)
            #expect(try await node.send("GET", "/v1/cluster").json["featureLevel"] as? Int == 2)
        }
    }

    @Test("a move has to come as JSON")
    func takesJSONOnly() async throws {
        try await Node.run(store: self.store) { node in
            let answer = try await node.send("POST", "/v1/shards/1/move")

            #expect(answer.status == 415)
            #expect(answer.code == "unsupportedMediaType")
        }
    }
}
