package import EventLog
import GRDB

extension SQLiteEventStore {
    package func featureLevel() throws(StoreError) -> FeatureLevel {
        try self.read { db in try Self.featureLevel(in: db) }
    }

    static func featureLevel(in db: Database) throws -> FeatureLevel {
        FeatureLevel(rawValue: try Int.fetchOne(db, sql: "SELECT feature_level FROM store_meta") ?? 1)
    }

    /// One process at a time has the file, so no other node lives: the rows of `node` are names that this one has had.
    package func raiseFeatureLevel(to level: FeatureLevel) throws(StoreError) -> Bool {
        try self.write { db in
            try db.execute(
                sql: "UPDATE store_meta SET feature_level = max(feature_level, ?)", arguments: [level.rawValue])
            return true
        }
    }
}
