import EventLog
import Foundation

/// Makes an empty schema of a database a store, brings an older store up to date, and refuses what is neither. Tables
/// are those of the first schema that the `search_path` names.
///
/// Several nodes may do this at once. What keeps them apart are not advisory locks, which compatible databases lack or
/// have in name only, but rows and names: whoever changes a store has locked the row of `store_meta`, and of two that
/// make the tables, the second is refused a name that is there already, and looks again.
struct StoreSchema {
    let address: String
    let migrations: [SchemaMigration]

    private var newest: Int { self.migrations.last?.number ?? 0 }

    /// How often a start looks again because another node was first with a step, or is making the tables.
    private static let attempts = 20
    /// For how long a step is tried again because its tables are in use.
    private static let patience = Duration.seconds(60)
    /// In seconds: as long as others may have waited for it.
    private static let pause = 1.0

    /// - Returns: also whether there was no store before.
    func prepare(
        _ session: inout Session, shardCount: Int
    ) throws(StoreError) -> (StoreIdentity, isNew: Bool) {
        guard (16...4096).contains(shardCount), shardCount.nonzeroBitCount == 1 else {
            throw StoreError(.incompatible, "a store has 16…4096 shards, a power of two, not \(shardCount)")
        }
        var lastFailure: StoreError?
        var isNew = false
        for _ in 0..<Self.attempts {
            try session.connect()
            let present = try self.present(&session)
            if let present { try self.check(present, shardCount: shardCount) }
            let steps = present?.steps ?? 0
            guard let migration = self.migrations.first(where: { $0.number > steps }) else {
                if let present { return (present.identity, isNew) }
                break
            }
            lastFailure = try self.run(migration, after: steps, shardCount: shardCount, in: &session)
            if present == nil { isNew = lastFailure == nil }
        }
        throw lastFailure ?? StoreError(.incompatible, "\(self.address) could not be made a Perennial store")
    }

    /// Waits for tables that are in use a moment at a time: while a step waits for one, everybody waits who comes after it,
    /// and nodes that cannot beat lose their shards. In between, these get through.
    /// - Returns: why it was not done, when another node may have been first.
    private func run(
        _ migration: SchemaMigration, after steps: Int, shardCount: Int, in session: inout Session
    ) throws(StoreError) -> StoreError? {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do throws(StatementFailure) {
                try self.take(migration, after: steps, shardCount: shardCount, in: &session)
                return nil
            } catch {
                // Only tidy: a session that cannot roll back is lost, and its transaction with it.
                _ = try? session.run("ROLLBACK")
                let isLockedOut = error.sqlState == "55P03"
                if isLockedOut, steps > 0, .now < deadline {
                    Thread.sleep(forTimeInterval: Self.pause)
                    continue
                }
                // Names of tables, types and sequences that another node has made since this one looked.
                let isTaken = ["42P07", "42710", "23505"].contains(error.sqlState)
                // Names that somebody else is making: a copy holds them until it is whole.
                let isBeingMade = isLockedOut && steps == 0
                let failure = StoreError(error, unknown: .unavailable)
                let explained = StoreError(
                    failure.code,
                    "\(self.address): step \(migration.number) of its schema cannot be done: \(failure.message)",
                    cause: error)
                guard isTaken || isBeingMade || error.fate == .collided else { throw explained }
                return explained
            }
        }
    }

    /// One transaction, in which nothing is done when another node was first with the step.
    private func take(
        _ migration: SchemaMigration, after steps: Int, shardCount: Int, in session: inout Session
    ) throws(StatementFailure) {
        try session.run("BEGIN")
        if steps > 0 {
            try session.run(Self.limitLockWaits)
            let meta = try session.run("SELECT schema FROM store_meta WHERE \(Self.steps) = \(steps) FOR UPDATE")
            guard meta.count == 1 else {
                try session.run("ROLLBACK")
                return
            }
        }
        try session.run(migration.sql)
        if steps == 0 { try session.run(Self.firstRows(shardCount: shardCount)) }
        try session.run(Self.record(migration))
        try session.run("COMMIT")
    }

    /// For this transaction, where the database knows the setting.
    private static let limitLockWaits =
        "SELECT set_config(name, '1000', true) FROM pg_settings WHERE name = 'lock_timeout'"

    private static func firstRows(shardCount: Int) -> String {
        let shards = (0..<shardCount).map { "(\($0))" }.joined(separator: ", ")
        return """
            INSERT INTO store_meta (singleton, store_id, shard_count, schema)
            VALUES (1, \(Int64.random(in: .min ... .max)), \(shardCount), 0);
            INSERT INTO shard (shard_id) VALUES \(shards);
            """
    }

    private static func record(_ migration: SchemaMigration) -> String {
        // The first step has no column yet to say so in.
        let steps = migration.number > 1 ? ["steps = \(migration.number)"] : []
        let schema = migration.kind == .contracts ? ["schema = \(migration.number)"] : []
        return "UPDATE store_meta SET \((steps + schema).joined(separator: ", "))"
    }

    /// The newest step that was done, also where only the first was.
    private static let steps = "coalesce((to_jsonb(store_meta) ->> 'steps')::integer, schema)"

    /// The newest step that a binary has to know for a new store of this level.
    func lowest(at level: FeatureLevel) -> Int {
        let contracted = self.migrations.last { $0.kind == .contracts }?.number ?? 0
        return level > .first ? max(contracted, SchemaMigration.featureLevels.number) : contracted
    }

    // MARK: What is there

    struct Meta {
        var identity: StoreIdentity
        /// The newest step that a binary has to know.
        var schema: Int
        /// The newest that was done.
        var steps: Int
        var movedTo: String?
    }

    /// nil for a schema without tables.
    func present(_ session: inout Session) throws(StoreError) -> Meta? {
        do throws(StatementFailure) {
            let place = try session.run(PreparedStatement("place", Self.findPlace))
            let found = try place.rows { row throws(StoreError) in
                (schema: try row.text(orNull: 0), tables: try row.number(1), isStore: try row.flag(2))
            }.first
            guard let found, let name = found.schema else {
                throw StatementFailure(
                    .refused(.incompatible), "\(self.address): its search_path names no schema that is there")
            }
            guard found.tables > 0 else { return nil }
            guard found.isStore else {
                throw StatementFailure(
                    .refused(.incompatible),
                    "\(self.address): the schema \(name) holds tables, but is not a Perennial store; give it a schema "
                        + "of its own")
            }
            let rows = try session.run(PreparedStatement("meta", Self.readMeta)).rows(Self.meta)
            guard let meta = rows.first else {
                throw StatementFailure(.refused(.corrupt), "\(self.address) has lost its store_meta row")
            }
            return meta
        } catch {
            throw StoreError(error, unknown: .unavailable)
        }
    }

    private static func meta(_ row: ResultRow) throws(StoreError) -> Meta {
        Meta(
            identity: StoreIdentity(
                storeID: UInt64(bitPattern: try row.number(0)), restoreGeneration: try row.number(1),
                shardCount: Int(try row.number(2))),
            schema: Int(try row.number(3)), steps: Int(try row.number(5)), movedTo: try row.text(orNull: 4))
    }

    private static let findPlace = """
        SELECT current_schema()::text, count(tablename), coalesce(bool_or(tablename = 'store_meta'), false)
        FROM (SELECT 1) AS one LEFT JOIN pg_tables ON schemaname = current_schema()
        """

    private static let readMeta =
        "SELECT store_id, restore_gen, shard_count, schema, moved_to, \(Self.steps) FROM store_meta"

    func check(_ meta: Meta, shardCount: Int) throws(StoreError) {
        if let destination = meta.movedTo {
            throw StoreError(
                .incompatible, "\(self.address) was moved to \(destination) and must not be written any more")
        }
        guard meta.schema <= self.newest else {
            throw StoreError(
                .incompatible,
                "\(self.address) has schema \(meta.schema), written by a newer version; this one knows \(self.newest)")
        }
        guard meta.identity.shardCount == shardCount else {
            throw StoreError(
                .incompatible,
                "\(self.address) was made with \(meta.identity.shardCount) shards, and \(shardCount) are configured; "
                    + "the number is fixed when a store is made")
        }
    }
}
