import EventLog
import Mirroring
import Ownership

/// A mirror of what a store holds, as a node has it that has followed the others to the end.
enum StoreMirror {
    private static let page = 4_096

    static func read(_ store: any EventStore) async throws -> EntitlementMirror {
        guard let map = ShardHash(shardCount: store.identity.shardCount) else {
            throw BenchmarkError("a store has so many shards")
        }
        // Nobody follows for it to stay fresh.
        let mirror = EntitlementMirror(map: map, staleness: .seconds(86_400))
        for head in try await store.heads() {
            var key: [UInt8]?
            while true {
                let rows = try await store.streams(in: head.shard, after: key, limit: Self.page)
                for row in rows { try mirror.apply(key: row.key, entitlement: row.entitlement, in: head.shard) }
                guard rows.count == Self.page else { break }
                key = rows.last?.key
            }
            mirror.setPosition(head)
            mirror.setCurrent(head.shard, asOf: .now)
        }
        return mirror
    }
}
