package import EventLog
import GRDB

extension SQLiteEventStore {
    package func bookmarks(_ names: [String]) async throws(StoreError) -> [String: [UInt8]] {
        try await self.read { db in
            let select = try db.cachedStatement(sql: "SELECT value FROM bookmark WHERE name = ?")
            let found = try names.compactMap { name in
                try Row.fetchOne(select, arguments: [Array(name.utf8).data]).map { (name, try $0.bytes(0)) }
            }
            return Dictionary(found, uniquingKeysWith: { first, _ in first })
        }
    }

    package func bookmarks(
        startingWith prefix: String, after name: String?, limit: Int
    ) async throws(StoreError) -> [Bookmark] {
        try await self.read { db in
            let select = try db.cachedStatement(
                sql: """
                    SELECT name, value FROM bookmark WHERE name >= ? AND name < ? AND name > ? ORDER BY name LIMIT ?
                    """)
            let bounds = [Array(prefix.utf8), Bookmarks.end(ofPrefix: prefix), Array((name ?? "").utf8)].map(\.data)
            return try Row.fetchAll(select, arguments: StatementArguments(bounds) + [limit]).map { row in
                Bookmark(name: String(decoding: try row.bytes(0), as: UTF8.self), value: try row.bytes(1))
            }
        }
    }

    package func setBookmarks(_ values: [String: [UInt8]]) async throws(StoreError) {
        try Bookmarks.check(values)
        guard !values.isEmpty else { return }
        try await self.write { db in
            let set = try db.cachedStatement(
                sql: "INSERT INTO bookmark VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
            let remove = try db.cachedStatement(sql: "DELETE FROM bookmark WHERE name = ?")
            for (name, value) in values {
                let name = Array(name.utf8).data
                if value.isEmpty {
                    try remove.execute(arguments: [name])
                } else {
                    try set.execute(arguments: [name, value.data])
                }
            }
        }
    }

    package func keepBookmark(_ name: String, _ value: [UInt8]) throws(StoreError) -> [UInt8] {
        try Bookmarks.check(name, kept: value)
        return try self.write { db in
            let name = Array(name.utf8).data
            try db.execute(
                sql: "INSERT INTO bookmark VALUES (?, ?) ON CONFLICT (name) DO NOTHING", arguments: [name, value.data])
            let row = try Row.fetchOne(db, sql: "SELECT value FROM bookmark WHERE name = ?", arguments: [name])
            return try row?.bytes(0) ?? value
        }
    }

    package func replaceBookmark(
        _ name: String, _ old: [UInt8], with new: [UInt8]
    ) async throws(StoreError) -> Bool {
        try Bookmarks.check(name, old, replacedBy: new)
        return try await self.write { db in
            let replace = try db.cachedStatement(sql: "UPDATE bookmark SET value = ? WHERE name = ? AND value = ?")
            try replace.execute(arguments: [new.data, Array(name.utf8).data, old.data])
            return db.changesCount == 1
        }
    }
}
