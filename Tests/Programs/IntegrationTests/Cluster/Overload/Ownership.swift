import PerennialTestSupport
import PostgresHarness

/// All that a lost lease changes.
struct Ownership: Equatable {
    let shards: [String]
    /// Rows of those who live and those who do not, by name.
    let nodes: [String: String]

    init(_ database: PostgresDatabase) async throws {
        (self.shards, self.nodes) = try await onOwnThread {
            let shards = try database.query(
                "SELECT shard_id, epoch, owner_node, owner_incarnation FROM shard ORDER BY shard_id")
            let nodes = try database.query("SELECT node_id, incarnation, live_epoch, state FROM node").map { row in
                (String(row.prefix(while: { $0 != "|" })), row)
            }
            return (shards, Dictionary(uniqueKeysWithValues: nodes))
        }
    }

    /// Those whose runs have lost the right to live that they had. In order.
    func takenForDead(since earlier: Ownership) -> [String] {
        earlier.nodes.filter { self.nodes[$0.key] != $0.value }.keys.sorted()
    }
}
