package import EventLog
import GRDB

extension SQLiteEventStore {
    static let putIntoInbox =
        "INSERT OR IGNORE INTO inbox (dedup_key, shard_id, received_at, raw) VALUES (?, ?, ?, ?)"

    package func put(_ row: InboxRow) async throws(StoreError) {
        try await self.write { db in
            let put = try db.cachedStatement(sql: Self.putIntoInbox)
            try put.execute(arguments: [row.dedupKey.data, Int64(row.shard.rawValue), row.receivedAt, row.raw.data])
        }
    }

    package func inbox(
        of shards: [ShardID], after last: InboxRow?, limit: Int
    ) async throws(StoreError) -> [InboxRow] {
        try await self.read { db in
            let select = try db.cachedStatement(
                sql: """
                    SELECT dedup_key, shard_id, received_at, raw FROM inbox
                    WHERE shard_id IN (SELECT value FROM json_each(?)) AND parked_at IS NULL
                        AND (received_at, dedup_key) > (?, ?)
                    ORDER BY received_at, dedup_key LIMIT ?
                    """)
            let place: StatementArguments = [
                shards.json, last?.receivedAt ?? .min, (last?.dedupKey ?? []).data, limit,
            ]
            return try Row.fetchAll(select, arguments: place).map { row in
                InboxRow(
                    dedupKey: try row.bytes(0), shard: try row.shard(1),
                    receivedAt: try row.decode(atIndex: 2), raw: try row.bytes(3))
            }
        }
    }

    package func removeFromInbox(_ removals: [InboxRemoval]) async throws(StoreError) -> Set<ShardID> {
        guard !removals.isEmpty else { return [] }
        return try await self.write { db in
            let holds = try db.cachedStatement(
                sql: """
                    SELECT 1 FROM shard
                    WHERE shard_id = ? AND epoch = ? AND owner_incarnation = ? AND head_seq >= ?
                    """)
            let remove = try db.cachedStatement(sql: "DELETE FROM inbox WHERE dedup_key = ?")
            var refused: Set<ShardID> = []
            for removal in removals {
                let fence = [
                    Int64(removal.shard.rawValue), removal.epoch.rawValue, removal.incarnation.rawValue,
                    removal.head.rawValue,
                ]
                if try Row.fetchOne(holds, arguments: StatementArguments(fence)) == nil {
                    refused.insert(removal.shard)
                } else {
                    try remove.execute(arguments: [removal.dedupKey.data])
                }
            }
            return refused
        }
    }

    package func recordFailedAttempt(
        _ dedupKeys: [[UInt8]], parkingAt limit: Int, at moment: Int64
    ) async throws(StoreError) {
        try await self.write { db in
            let record = try db.cachedStatement(
                sql: """
                    UPDATE inbox
                    SET attempts = attempts + 1, parked_at = CASE WHEN attempts + 1 >= ? THEN ? END
                    WHERE dedup_key = ?
                    """)
            for dedupKey in dedupKeys { try record.execute(arguments: [limit, moment, dedupKey.data]) }
        }
    }

    package func inboxDepth() async throws(StoreError) -> InboxDepth {
        try await self.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT count(*) - count(parked_at), count(parked_at),
                        min(CASE WHEN parked_at IS NULL THEN received_at END)
                    FROM inbox
                    """)
            return InboxDepth(
                waiting: try row?.decode(atIndex: 0) ?? 0, parked: try row?.decode(atIndex: 1) ?? 0,
                oldest: try row?.decode(Int64?.self, atIndex: 2))
        }
    }
}

extension [ShardID] {
    fileprivate var json: String { "[\(self.map { "\($0.rawValue)" }.joined(separator: ","))]" }
}
