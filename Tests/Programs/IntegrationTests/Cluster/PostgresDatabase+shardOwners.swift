import PerennialTestSupport
import PostgresHarness

/// A row of `shard`, without what appends change.
struct ShardOwner: Hashable {
    var epoch: Int
    var node: String
}

extension PostgresDatabase {
    /// By shard number; without those that nobody has ever owned.
    func shardOwners() async throws -> [Int: ShardOwner] {
        let question = "SELECT shard_id, epoch, owner_node FROM shard WHERE owner_node IS NOT NULL"
        let lines = try await onOwnThread { try self.query(question) }
        return Dictionary(
            uniqueKeysWithValues: try lines.map { line in
                let columns = line.split(separator: "|")
                guard columns.count == 3, let shard = Int(columns[0]), let epoch = Int(columns[1]) else {
                    throw ProcessFailure("not a row of a shard: \(line)")
                }
                return (shard, ShardOwner(epoch: epoch, node: String(columns[2])))
            })
    }
}
