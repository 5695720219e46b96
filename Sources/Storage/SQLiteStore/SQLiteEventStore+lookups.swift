package import EventLog
import GRDB
package import Subscriptions

extension SQLiteEventStore {
    package func removeLookups(of identifiers: [SoughtIdentifier]) async throws(StoreError) {
        try await self.write { db in
            let hashed = try db.cachedStatement(sql: "DELETE FROM identifier WHERE kind = ? AND hash = ?")
            let clear = try db.cachedStatement(sql: "DELETE FROM lookup WHERE kind = ? AND value = ?")
            for identifier in identifiers {
                let kind = Int64(identifier.kind.rawValue)
                try hashed.execute(arguments: [kind, identifier.hash.bytes.data])
                for spelling in identifier.spellings { try clear.execute(arguments: [kind, spelling]) }
            }
        }
    }

    package func clearLookups(limit: Int) async throws(StoreError) -> [ClearLookup] {
        try await self.read { db in
            let select = try db.cachedStatement(
                sql: "SELECT kind, value, stream_id FROM lookup ORDER BY kind, value, stream_id LIMIT ?")
            return try Row.fetchAll(select, arguments: [limit]).map { row in
                ClearLookup(
                    kind: Int(try row.decode(Int64.self, atIndex: 0)),
                    value: Array(try row.decode(String.self, atIndex: 1).utf8),
                    stream: try row.decode(Int64.self, atIndex: 2))
            }
        }
    }

    package func replace(_ lookups: [ClearLookup], by hashes: [IdentifierHash?]) async throws(StoreError) {
        try await self.write { db in
            let insert = try db.cachedStatement(
                sql: "INSERT OR IGNORE INTO identifier (kind, hash, stream_id) VALUES (?, ?, ?)")
            let remove = try db.cachedStatement(
                sql: "DELETE FROM lookup WHERE kind = ? AND value = ? AND stream_id = ?")
            for (lookup, hash) in zip(lookups, hashes) {
                if let hash { try insert.execute(arguments: [lookup.kind, hash.bytes.data, lookup.stream]) }
                let value = String(decoding: lookup.value, as: UTF8.self)
                try remove.execute(arguments: [lookup.kind, value, lookup.stream])
            }
        }
    }
}
