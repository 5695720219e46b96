import EventLog
import GRDB

/// Makes a new file a store, brings an older store up to date, and refuses what is neither.
struct StoreSchema {
    let path: String
    let migrations: [SchemaMigration]

    private var newest: Int { self.migrations.last?.number ?? 0 }

    /// - Parameter shardCount: nil takes the store that is there, whatever it has, and makes none.
    /// - Returns: also whether there was no store before.
    /// - Throws: StoreError `.incompatible`, DatabaseError.
    func prepare(_ db: Database, shardCount: Int?) throws -> (StoreIdentity, isNew: Bool) {
        let present = try self.present(db)
        if let present { try self.check(present, shardCount: shardCount ?? present.identity.shardCount) }
        guard let shardCount = shardCount ?? present?.identity.shardCount else {
            throw StoreError(.incompatible, "\(self.path) is empty: it is not a Perennial store")
        }
        for migration in self.migrations where migration.number > present?.steps ?? 0 {
            try db.inTransaction(.immediate) {
                try db.execute(sql: migration.sql)
                if present == nil, migration.number == 1 { try self.make(db, shardCount: shardCount) }
                try db.execute(sql: Self.record(migration))
                return .commit
            }
        }
        guard let meta = try self.present(db) else {
            throw StoreError(.incompatible, "\(self.path) could not be made a Perennial store")
        }
        return (meta.identity, present == nil)
    }

    private static func record(_ migration: SchemaMigration) -> String {
        // The first step has no column yet to say so in.
        let steps = migration.number > 1 ? ["steps = \(migration.number)"] : []
        let schema = migration.kind == .contracts ? ["schema = \(migration.number)"] : []
        return "UPDATE store_meta SET \((steps + schema).joined(separator: ", "))"
    }

    private struct Meta {
        var identity: StoreIdentity
        /// The newest step that a binary has to know.
        var schema: Int
        /// The newest that was done.
        var steps: Int
        var movedTo: String?
    }

    private func present(_ db: Database) throws -> Meta? {
        let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema")
        guard !tables.isEmpty else { return nil }
        guard tables.contains("store_meta") else {
            throw StoreError(.incompatible, "\(self.path) is an SQLite database, but not a Perennial store")
        }
        // Where only the first step was done, nothing but `schema` says so.
        let steps = try db.columns(in: "store_meta").contains { $0.name == "steps" } ? "steps" : "schema"
        let sql = "SELECT store_id, restore_gen, shard_count, schema, moved_to, \(steps) FROM store_meta"
        guard let row = try Row.fetchOne(db, sql: sql) else {
            throw StoreError(.corrupt, "\(self.path) has lost its store_meta row")
        }
        return Meta(
            identity: StoreIdentity(
                storeID: UInt64(bitPattern: try row.decode(Int64.self, atIndex: 0)),
                restoreGeneration: try row.decode(atIndex: 1), shardCount: try row.decode(atIndex: 2)),
            schema: try row.decode(atIndex: 3), steps: try row.decode(atIndex: 5), movedTo: try row.decode(atIndex: 4))
    }

    private func check(_ meta: Meta, shardCount: Int) throws(StoreError) {
        if let destination = meta.movedTo {
            throw StoreError(.incompatible, "\(self.path) was moved to \(destination) and must not be written any more")
        }
        guard meta.schema <= self.newest else {
            throw StoreError(
                .incompatible,
                "\(self.path) has schema \(meta.schema), written by a newer version; this one knows \(self.newest)")
        }
        guard meta.identity.shardCount == shardCount else {
            throw StoreError(
                .incompatible,
                "\(self.path) was made with \(meta.identity.shardCount) shards, and \(shardCount) are configured; "
                    + "the number is fixed when a store is made")
        }
    }

    private func make(_ db: Database, shardCount: Int) throws {
        guard (16...4096).contains(shardCount), shardCount.nonzeroBitCount == 1 else {
            throw StoreError(.incompatible, "a store has 16…4096 shards, a power of two, not \(shardCount)")
        }
        let storeID = Int64.random(in: .min ... .max)
        try db.execute(
            sql: "INSERT INTO store_meta (only, store_id, shard_count, schema) VALUES (1, ?, ?, 0)",
            arguments: [storeID, shardCount])
        for shard in 0..<shardCount {
            try db.execute(sql: "INSERT INTO shard (shard_id) VALUES (?)", arguments: [shard])
        }
    }
}
