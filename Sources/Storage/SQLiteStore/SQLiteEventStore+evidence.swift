package import EventLog
import Evidence
import GRDB

extension SQLiteEventStore {
    package func evidence(of sequence: LogSequence, in shard: ShardID) async throws(StoreError) -> Evidence? {
        try await self.read { db in
            let select = try db.cachedStatement(
                sql: """
                    SELECT evidence.event_id, evidence.headers, evidence.body, evidence.erased
                    FROM event JOIN evidence ON evidence.event_id = event.id
                    WHERE event.shard_id = ? AND event.seq = ?
                    """)
            let row = try Row.fetchOne(select, arguments: [shard.rawValue, sequence.rawValue])
            return try row.map { try self.evidence($0, in: db) }
        }
    }

    package func headerSegments(limit: Int) async throws(StoreError) -> [[UInt8]] {
        try await self.read { db in
            let select = try db.cachedStatement(sql: "SELECT segment FROM jws_header ORDER BY id DESC LIMIT ?")
            return try Row.fetchAll(select, arguments: [limit]).map { try $0.bytes(0) }
        }
    }

    package func eraseEvidence(of key: [UInt8], in shard: ShardID) async throws(StoreError) {
        try await self.write { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT evidence.event_id, evidence.headers, evidence.body, evidence.erased
                    FROM stream JOIN event ON event.stream_id = stream.id JOIN evidence ON evidence.event_id = event.id
                    WHERE stream.shard_id = ? AND stream.key = ? AND evidence.erased IS NULL
                    """,
                arguments: [shard.rawValue, key.data])
            for row in rows {
                guard case .kept(let parts) = try self.evidence(row, in: db) else { continue }
                try db.execute(
                    sql: "UPDATE evidence SET headers = NULL, body = NULL, erased = ? WHERE event_id = ?",
                    arguments: [ContentHash.sha256(of: parts).data, try row.decode(Int64.self, atIndex: 0)])
            }
        }
    }

    package func replaceBodies(_ replacements: [BodyReplacement], in shard: ShardID) async throws(StoreError) {
        try await self.write { db in
            let update = try db.cachedStatement(
                sql: "UPDATE event SET body = ? WHERE shard_id = ? AND seq = ? AND body = ?")
            for one in replacements {
                try update.execute(
                    arguments: [one.new.data, Int64(shard.rawValue), one.sequence.rawValue, one.old.data])
            }
        }
    }

    /// Of the columns event_id, headers, body, erased.
    private func evidence(_ row: Row, in db: Database) throws -> Evidence {
        guard !row.hasNull(atIndex: 2) else { return .erased(sha256: try row.bytes(3)) }
        let select = try db.cachedStatement(sql: "SELECT segment FROM jws_header WHERE id = ?")
        let headers = try row.decode(String.self, atIndex: 1).split(separator: ",").map { number in
            guard let number = Int64(number), let row = try Row.fetchOne(select, arguments: [number]) else {
                throw StoreError(.corrupt, "evidence refers to a header segment that is not there")
            }
            return try row.bytes(0)
        }
        return .kept(try self.codec.decode(EncodedEvidence(headers: headers, body: try row.bytes(2))))
    }
}
