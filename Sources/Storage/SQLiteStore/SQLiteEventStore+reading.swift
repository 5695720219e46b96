package import EventLog
import Foundation
import GRDB
import Subscriptions

extension SQLiteEventStore {
    // MARK: Streams

    package func streams(_ keys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StreamRow] {
        try await self.read { db in try Self.streams(db, keys, in: shard) }
    }

    private static func streams(_ db: Database, _ keys: [[UInt8]], in shard: ShardID) throws -> [StreamRow] {
        let select = try HotStatement(db, "SELECT \(StreamRow.columns) FROM stream WHERE shard_id = ? AND key = ?")
        return try keys.compactMap { key in
            try select.first(
                { values in
                    values.add(shard)
                    values.add(key)
                }, StreamRow.init)
        }
    }

    package func streams(
        withPrefix prefix: [UInt8], in shard: ShardID, limit: Int
    ) async throws(StoreError) -> [StreamRow] {
        try await self.read { db in try Self.streams(db, withPrefix: prefix, in: shard, limit: limit) }
    }

    package func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        try await self.read { db in
            try prefixes.map { try Self.streams(db, withPrefix: $0.prefix, in: $0.shard, limit: limit) }
        }
    }

    private static func streams(
        _ db: Database, withPrefix prefix: [UInt8], in shard: ShardID, limit: Int
    ) throws -> [StreamRow] {
        let end = Self.end(ofPrefix: prefix)
        let select = try HotStatement(db, end == nil ? Self.selectFromPrefix : Self.selectPrefix)
        return try select.rows(
            { values in
                values.add(shard)
                values.add(Int64(limit))
                values.add(prefix)
                if let end { values.add(end) }
            }, StreamRow.init)
    }

    private static let selectPrefix = """
        SELECT \(StreamRow.columns) FROM stream WHERE shard_id = ?1 AND key >= ?3 AND key < ?4 ORDER BY key LIMIT ?2
        """
    /// For what no bytes come after.
    private static let selectFromPrefix = """
        SELECT \(StreamRow.columns) FROM stream WHERE shard_id = ?1 AND key >= ?3 ORDER BY key LIMIT ?2
        """

    package func streams(in shard: ShardID, after key: [UInt8]?, limit: Int) async throws(StoreError) -> [StreamRow] {
        guard let key else { return try await self.streams(withPrefix: [], in: shard, limit: limit) }
        return try await self.streams("key > ?2 ORDER BY key LIMIT ?3") { values in
            values.add(shard)
            values.add(key)
            values.add(Int64(limit))
        }
    }

    package func due(in shard: ShardID, at moment: Int64, limit: Int) async throws(StoreError) -> [StreamRow] {
        try await self.streams("next_due <= ?2 ORDER BY next_due, key LIMIT ?3") { values in
            values.add(shard)
            values.add(moment)
            values.add(Int64(limit))
        }
    }

    package func nextDue(in shard: ShardID) async throws(StoreError) -> Int64? {
        try await self.read { db in
            let select = try db.cachedStatement(
                sql: "SELECT min(next_due) FROM stream WHERE shard_id = ? AND next_due IS NOT NULL")
            return try Int64.fetchOne(select, arguments: [shard.rawValue])
        }
    }

    package func streams(for identifiers: [SoughtIdentifier]) async throws(StoreError) -> [[[UInt8]]] {
        try await self.read { db in
            let hashed = try HotStatement(
                db,
                """
                SELECT stream.key FROM identifier JOIN stream ON stream.id = identifier.stream_id
                WHERE identifier.kind = ? AND identifier.hash = ?
                """)
            let clear = try HotStatement(
                db,
                """
                SELECT stream.key FROM lookup JOIN stream ON stream.id = lookup.stream_id
                WHERE lookup.kind = ? AND lookup.value = ?
                """)
            return try identifiers.map { identifier in
                var keys = try hashed.rows(
                    { values in
                        values.add(Int64(identifier.kind.rawValue))
                        values.add(identifier.hash.bytes)
                    }, { try $0.bytes(0) })
                for spelling in identifier.spellings {
                    keys += try clear.rows(
                        { values in
                            values.add(Int64(identifier.kind.rawValue))
                            values.add(spelling)
                        }, { try $0.bytes(0) })
                }
                return keys.sortedOnce
            }
        }
    }

    /// - Parameter condition: what follows the shard in WHERE; `?1` is the shard.
    private func streams(
        _ condition: String, _ bind: @Sendable (inout Bindings) -> Void
    ) async throws(StoreError) -> [StreamRow] {
        try await self.read { db in
            try HotStatement(db, "SELECT \(StreamRow.columns) FROM stream WHERE shard_id = ?1 AND \(condition)")
                .rows(bind, StreamRow.init)
        }
    }

    /// The smallest bytes that come after all that start with `prefix`; nil when there are none.
    private static func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let place = prefix.lastIndex(where: { $0 < 0xFF }) else { return nil }
        return prefix[..<place] + [prefix[place] + 1]
    }

    // MARK: Events

    package func events(
        withDedupKeys dedupKeys: [[UInt8]], in shard: ShardID
    ) async throws(StoreError) -> [StoredEvent] {
        try await self.read { db in try Self.events(db, withDedupKeys: dedupKeys, in: shard) }
    }

    private static func events(
        _ db: Database, withDedupKeys dedupKeys: [[UInt8]], in shard: ShardID
    ) throws -> [StoredEvent] {
        let select = try Self.selectEvents(db, "event.shard_id = ? AND event.dedup_key = ?")
        return try dedupKeys.compactMap { key in
            try select.first(
                { values in
                    values.add(shard)
                    values.add(key)
                }, StoredEvent.init)
        }
    }

    // MARK: Both

    /// In one snapshot.
    package func load(_ requests: [LoadRequest]) async throws(StoreError) -> [LoadAnswer] {
        try await self.read { db in
            try requests.map { request in
                LoadAnswer(
                    streams: try Self.streams(db, request.keys, in: request.shard),
                    events: try Self.events(db, withDedupKeys: request.dedupKeys, in: request.shard))
            }
        }
    }

    // MARK: Of one stream or shard

    package func events(
        of key: [UInt8], in shard: ShardID, after version: StreamVersion, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        try await self.read { db in
            let select = try Self.selectEvents(
                db,
                "stream.shard_id = ? AND stream.key = ? AND event.version > ? ORDER BY event.version LIMIT ?")
            return try select.rows(
                { values in
                    values.add(shard)
                    values.add(key)
                    values.add(version.rawValue)
                    values.add(Int64(limit))
                }, StoredEvent.init)
        }
    }

    package func events(
        in shard: ShardID, after sequence: LogSequence, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        try await self.read { db in
            let select = try Self.selectEvents(db, "event.shard_id = ? AND event.seq > ? ORDER BY event.seq LIMIT ?")
            return try select.rows(
                { values in
                    values.add(shard)
                    values.add(sequence.rawValue)
                    values.add(Int64(limit))
                }, StoredEvent.init)
        }
    }

    private static func selectEvents(_ db: Database, _ condition: String) throws -> HotStatement {
        try HotStatement(
            db,
            """
            SELECT \(StoredEvent.columns) FROM event JOIN stream ON stream.id = event.stream_id
            WHERE \(condition)
            """)
    }
}
