package import EventLog

extension PostgresEventStore {
    package func put(_ row: InboxRow) async throws(StoreError) {
        var parameters = Parameters()
        parameters.add(row.dedupKey)
        parameters.add(row.shard)
        parameters.add(row.receivedAt)
        parameters.add(row.raw)
        try await self.write(Self.put, parameters)
    }

    private static let put = PreparedStatement(
        "inbox_put",
        """
        INSERT INTO inbox (dedup_key, shard_id, received_at, raw)
        VALUES ($1::bytea, $2::integer, $3::bigint, $4::bytea) ON CONFLICT (dedup_key) DO NOTHING
        """)

    package func inbox(
        of shards: [ShardID], after last: InboxRow?, limit: Int
    ) async throws(StoreError) -> [InboxRow] {
        var parameters = Parameters()
        parameters.add(shards: shards)
        parameters.add(Int64(limit))
        parameters.add(last?.receivedAt ?? .min)
        parameters.add(last?.dedupKey ?? [])
        return try await self.rows(Self.waiting, parameters) { row throws(StoreError) in
            InboxRow(
                dedupKey: try row.bytes(0), shard: try row.shard(1), receivedAt: try row.number(2),
                raw: try row.bytes(3))
        }
    }

    private static let waiting = PreparedStatement(
        "inbox_waiting",
        """
        SELECT dedup_key, shard_id, received_at, raw FROM inbox
        WHERE shard_id = ANY ($1::integer[]) AND parked_at IS NULL
            AND (received_at, dedup_key) > ($3::bigint, $4::bytea)
        ORDER BY received_at, dedup_key LIMIT $2::bigint
        """)

    /// One statement, whose parts see one snapshot, without a lock on the shards: whatever commits beside it, the log that
    /// the snapshot shows only grows, and a replica that has this commit has those that the snapshot showed.
    package func removeFromInbox(_ removals: [InboxRemoval]) async throws(StoreError) -> Set<ShardID> {
        var parameters = Parameters()
        parameters.add(blobs: removals.map(\.dedupKey))
        parameters.add(shards: removals.map(\.shard))
        parameters.add(numbers: removals.map(\.epoch.rawValue))
        parameters.add(numbers: removals.map(\.incarnation.rawValue))
        parameters.add(numbers: removals.map(\.head.rawValue))
        return Set(try await self.write(Self.remove, parameters) { row throws(StoreError) in try row.shard(0) })
    }

    /// A shard that nobody has claimed has no incarnation, and its `holds` is NULL.
    private static let remove = PreparedStatement(
        "inbox_remove",
        """
        WITH applied AS (
            SELECT given.dedup_key, given.shard_id,
                shard.epoch = given.epoch AND shard.owner_incarnation = given.incarnation
                    AND shard.head_seq >= given.head AS holds
            FROM unnest($1::bytea[], $2::integer[], $3::bigint[], $4::bigint[], $5::bigint[])
                AS given (dedup_key, shard_id, epoch, incarnation, head)
            JOIN shard ON shard.shard_id = given.shard_id
        ), removed AS (
            DELETE FROM inbox USING applied WHERE applied.holds AND inbox.dedup_key = applied.dedup_key
        )
        SELECT shard_id FROM applied WHERE holds IS NOT TRUE
        """)

    package func recordFailedAttempt(
        _ dedupKeys: [[UInt8]], parkingAt limit: Int, at moment: Int64
    ) async throws(StoreError) {
        var parameters = Parameters()
        parameters.add(blobs: dedupKeys)
        parameters.add(Int64(limit))
        parameters.add(moment)
        try await self.write(Self.failed, parameters)
    }

    private static let failed = PreparedStatement(
        "inbox_failed",
        """
        UPDATE inbox
        SET attempts = attempts + 1, parked_at = CASE WHEN attempts + 1 >= $2::bigint THEN $3::bigint END
        WHERE dedup_key = ANY ($1::bytea[])
        """)

    package func inboxDepth() async throws(StoreError) -> InboxDepth {
        let depth = try await self.first(Self.depth) { row throws(StoreError) in
            InboxDepth(
                waiting: Int(try row.number(0)), parked: Int(try row.number(1)), oldest: try row.number(orNull: 2))
        }
        return depth ?? InboxDepth(waiting: 0, parked: 0, oldest: nil)
    }

    private static let depth = PreparedStatement(
        "inbox_depth",
        """
        SELECT count(*) - count(parked_at), count(parked_at),
            min(CASE WHEN parked_at IS NULL THEN received_at END)
        FROM inbox
        """)
}
