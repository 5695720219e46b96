package import EventLog
import GRDB

extension SQLiteEventStore {
    package func register(_ node: NodeRecord) throws(StoreError) {
        try self.write { db in
            try node.featureLevel.check(supports: try Self.featureLevel(in: db))
            try db.execute(
                sql: """
                    INSERT INTO node (node_id, incarnation, endpoint, curve_key) VALUES (?, ?, ?, ?)
                    ON CONFLICT (node_id) DO UPDATE
                    SET incarnation = excluded.incarnation, live_epoch = live_epoch + 1, endpoint = excluded.endpoint,
                        curve_key = excluded.curve_key, state = 'live'
                    """,
                arguments: [
                    node.id.rawValue, node.incarnation.rawValue, node.endpoint, node.packedCurveKeys.data,
                ])
        }
    }

    package func claim(_ claim: ShardClaim) throws(StoreError) -> [ShardOwnership] {
        try self.write { db in try claim.shards.compactMap { try Self.claim($0, as: claim, in: db) } }
    }

    private static func claim(_ shard: ShardID, as claim: ShardClaim, in db: Database) throws -> ShardOwnership? {
        let take = try db.cachedStatement(
            sql: """
                UPDATE shard SET epoch = epoch + 1, owner_node = ?1, owner_incarnation = ?2
                WHERE shard_id = ?3 AND (?4 IS NULL OR owner_incarnation = ?4)
                """)
        let owner = claim.owner
        try take.execute(
            arguments: [owner.node.rawValue, owner.incarnation.rawValue, shard.rawValue, claim.from?.rawValue])
        guard db.changesCount == 1 else { return nil }
        // An epoch that has written nothing will not be asked about: without this each start would leave a row.
        let clear = try db.cachedStatement(
            sql: """
                DELETE FROM shard_epoch
                WHERE shard_id = ?1 AND first_seq > (SELECT head_seq FROM shard WHERE shard_id = ?1)
                """)
        try clear.execute(arguments: [shard.rawValue])
        let begin = try db.cachedStatement(
            sql: """
                INSERT INTO shard_epoch
                SELECT shard_id, epoch, owner_incarnation, head_seq + 1 FROM shard WHERE shard_id = ?
                """)
        try begin.execute(arguments: [shard.rawValue])
        let find = try db.cachedStatement(
            sql: """
                SELECT epoch, head_seq, coalesce((
                    SELECT at FROM event WHERE event.shard_id = shard.shard_id AND event.seq = shard.head_seq), 0)
                FROM shard WHERE shard_id = ?
                """)
        return try Row.fetchOne(find, arguments: [shard.rawValue]).map { row in
            ShardOwnership(
                shard: shard, epoch: Epoch(rawValue: try row.decode(atIndex: 0)), incarnation: owner.incarnation,
                head: try row.sequence(1), lastRecordedAt: try row.decode(atIndex: 2))
        }
    }

    package func nodes() async throws(StoreError) -> [NodeRecord] {
        try await self.read { db in
            try Row.fetchAll(
                db, sql: "SELECT node_id, incarnation, endpoint, curve_key FROM node ORDER BY node_id"
            ).map { row in
                NodeRecord(
                    id: NodeID(rawValue: try row.decode(atIndex: 0)),
                    incarnation: Incarnation(rawValue: try row.decode(atIndex: 1)),
                    endpoint: try row.decode(atIndex: 2),
                    packedCurveKeys: row.hasNull(atIndex: 3) ? [] : try row.bytes(3),
                    // What another program supported that had the file, nobody needs to know.
                    featureLevel: .first)
            }
        }
    }

    package func shards() async throws(StoreError) -> [ShardRecord] {
        try await self.read { db in
            try Row.fetchAll(
                db, sql: "SELECT shard_id, epoch, owner_node, owner_incarnation, head_seq FROM shard ORDER BY shard_id"
            ).map { row in
                var owner: ShardRecord.Owner?
                if let node = try row.decode(String?.self, atIndex: 2) {
                    owner = ShardRecord.Owner(
                        node: NodeID(rawValue: node), incarnation: Incarnation(rawValue: try row.decode(atIndex: 3)))
                }
                return ShardRecord(
                    shard: try row.shard(0), epoch: Epoch(rawValue: try row.decode(atIndex: 1)), owner: owner,
                    head: try row.sequence(4))
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

    package func incarnationTag(of sequence: LogSequence, in shard: ShardID) async throws(StoreError) -> UInt32? {
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
