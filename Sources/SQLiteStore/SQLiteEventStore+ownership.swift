package import EventSourcing
import GRDB

extension SQLiteEventStore {
    package func claimAllShards(node: NodeID, incarnation: Incarnation) throws(StoreError) -> [ShardOwnership] {
        try self.write { db in
            try db.execute(
                sql: """
                    INSERT INTO node (node_id, incarnation) VALUES (?, ?)
                    ON CONFLICT (node_id) DO UPDATE
                    SET incarnation = excluded.incarnation, live_epoch = live_epoch + 1, state = 'live'
                    """,
                arguments: [node.rawValue, incarnation.rawValue])
            try db.execute(
                sql: "UPDATE shard SET epoch = epoch + 1, owner_node = ?, owner_incarnation = ?",
                arguments: [node.rawValue, incarnation.rawValue])
            // An epoch that has written nothing will not be asked about: without this each start would leave a row.
            try db.execute(
                sql: """
                    DELETE FROM shard_epoch WHERE first_seq >
                        (SELECT head_seq FROM shard WHERE shard.shard_id = shard_epoch.shard_id)
                    """)
            try db.execute(
                sql: "INSERT INTO shard_epoch SELECT shard_id, epoch, owner_incarnation, head_seq + 1 FROM shard")
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT shard_id, epoch, head_seq, coalesce((
                        SELECT at FROM event WHERE event.shard_id = shard.shard_id AND event.seq = shard.head_seq), 0)
                    FROM shard ORDER BY shard_id
                    """
            ).map { row in
                ShardOwnership(
                    shard: try row.shard(0), epoch: Epoch(rawValue: try row.decode(atIndex: 1)),
                    incarnation: incarnation, head: try row.sequence(2), lastRecordedAt: try row.decode(atIndex: 3))
            }
        }
    }

    package func heads() async throws(StoreError) -> [Position] {
        try await self.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT shard_id, head_seq, (\(Self.incarnationOf("shard.head_seq")))
                    FROM shard ORDER BY shard_id
                    """
            ).map { row in
                Position(
                    shard: try row.shard(0), sequence: try row.sequence(1),
                    incarnationTag: Incarnation(rawValue: try row.decode(Int64?.self, atIndex: 2) ?? 0).tag)
            }
        }
    }

    package func incarnationTag(of sequence: Sequence, in shard: ShardID) async throws(StoreError) -> UInt32? {
        try await self.read { db in
            let sql = "SELECT (\(Self.incarnationOf("?1"))) FROM shard WHERE shard_id = ?2 AND head_seq >= ?1"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [sequence.rawValue, shard.rawValue]) else {
                return nil
            }
            return Incarnation(rawValue: try row.decode(Int64?.self, atIndex: 0) ?? 0).tag
        }
    }

    /// Who wrote a sequence: the newest epoch that began at or before it.
    private static func incarnationOf(_ sequence: String) -> String {
        """
        SELECT incarnation FROM shard_epoch
        WHERE shard_epoch.shard_id = shard.shard_id AND first_seq <= \(sequence) ORDER BY epoch DESC LIMIT 1
        """
    }
}
