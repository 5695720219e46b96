import Perennial
import Testing

/// What an operator reads of a cluster.
@Suite struct ClusterTableTests {
    @Test("a summary has who lives above, and what waits below")
    func summarizes() throws {
        let answer = try JSONFragment(
            Array(
                #"""
                {"answeredBy": "node-1", "featureLevel": 1, "nodes": [
                    {"id": "node-1", "state": "live", "endpoint": "tcp://10.0.0.5:7000", "leaseMilliseconds": 5000,
                     "shardsOwned": 240, "featureLevel": 2},
                    {"id": "node-12", "state": "deposed", "endpoint": null, "leaseMilliseconds": null,
                     "shardsOwned": 16, "featureLevel": 1}],
                 "shards": {"count": 256, "withoutOwner": 16},
                 "inbox": {"waiting": 3, "parked": 1, "oldest": "2026-12-04T00:00:00.000Z"}}
                """#.utf8))

        #expect(
            ClusterSummary(answer).lines == [
                "NODE     STATE    SHARDS  LEASE  LEVEL  ENDPOINT",
                "node-1   live     240     5s     2      tcp://10.0.0.5:7000",
                "node-12  deposed  16      -      1      -",
                "",
                "shards         256",
                "without owner  16",
                "inbox waiting  3, since 2026-12-04T00:00:00.000Z",
                "inbox parked   1",
                "feature level  1",
                "answered by    node-1",
            ])
    }

    @Test("a store that no other node can use has no inbox to tell of")
    func summarizesOneAlone() throws {
        let answer = try JSONFragment(
            Array(
                #"""
                {"answeredBy": "a", "featureLevel": 2, "nodes": [],
                 "shards": {"count": 256, "withoutOwner": 256}, "inbox": null}
                """#.utf8))

        #expect(
            ClusterSummary(answer).lines.suffix(4) == [
                "shards         256", "without owner  256", "feature level  2", "answered by    a",
            ])
    }

    @Test("an inbox in which nothing waits has no oldest row")
    func showsAnEmptyInbox() throws {
        let answer = try JSONFragment(Array(#"{"inbox": {"waiting": 0, "parked": 0, "oldest": null}}"#.utf8))

        #expect(ClusterSummary(answer).lines.contains("inbox waiting  0"))
    }

    @Test("an owner that does not live, and one that never was, stand out among shards")
    func marksShardsWithoutOwner() throws {
        let rows = try JSONFragment(
            Array(
                #"""
                [{"shard": 0, "owner": "node-1", "ownerLives": true, "epoch": 12, "head": 345},
                 {"shard": 1, "owner": "node-2", "ownerLives": false, "epoch": 3, "head": 0},
                 {"shard": 2, "owner": null, "ownerLives": false, "epoch": 0, "head": 0}]
                """#.utf8)
        ).items

        #expect(
            ShardTable(rows).lines == [
                "SHARD  OWNER          EPOCH  HEAD",
                "0      node-1         12     345",
                "1      node-2 (gone)  3      0",
                "2      -              0      0",
            ])
    }
}
