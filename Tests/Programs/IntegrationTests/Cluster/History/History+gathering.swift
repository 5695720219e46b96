import PerennialTestSupport
import PostgresHarness

extension History {
    /// What was sent, acknowledged and kept so far.
    /// - Parameter earlier: the rows of an earlier history.
    init(
        of load: ClusterLoad, on nodes: [SupervisedNode], _ database: PostgresDatabase,
        after earlier: [Int: ShardRows] = [:]
    ) async throws {
        self.init(sent: load.sent, acknowledged: load.acknowledged, earlier: earlier)
        for node in nodes { self.logs[node.name] = try await node.node?.log() }
        self.shards = try await onOwnThread { try database.shardRows() }
        self.parked = try await onOwnThread {
            try database.query("SELECT encode(dedup_key, 'hex') FROM inbox WHERE parked_at IS NOT NULL")
        }
    }
}
