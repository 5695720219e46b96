import EventLog
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

/// Binaries of several releases on one database.
@Suite(.onOwnThreads) struct UpgradeTests {
    /// What the release before the levels knows.
    private static let beforeLevels = Array(SchemaMigration.all.prefix(1))
    /// What the release before the bookmarks knows.
    private static let beforeBookmarks = Array(SchemaMigration.all.prefix(2))
    private static let second = FeatureLevel(rawValue: 2)
    private let database: PostgresDatabase

    init() throws { self.database = try PostgresServer.shared().makeDatabase() }

    @Test("where a newer binary has only added, older ones start as before")
    func olderBinariesStart() async throws {
        let older = try PostgresEventStore(in: self.database, migrations: Self.beforeLevels)
        let addition = SchemaMigration(number: 5, .expands, sql: "ALTER TABLE stream ADD COLUMN note TEXT")
        let newer = try PostgresEventStore(in: self.database, migrations: SchemaMigration.all + [addition])
        for migrations in [Self.beforeLevels, SchemaMigration.all] {
            let store = try PostgresEventStore(in: self.database, migrations: migrations)
            #expect(store.identity == older.identity)
            var writer = try StoreWriter(store)
            try writer.append([writer.event([UInt8(migrations.count)])])
            store.close()
        }
        #expect(try await newer.log().count == 2)
        #expect(try self.database.query("SELECT schema, steps FROM store_meta") == ["1|5"])
        for store in [older, newer] { store.close() }
        try self.database.drop()
    }

    @Test("a store from before the bookmarks takes them while a node of the older release is at work on it")
    func bookmarksAreAdded() async throws {
        // given
        let older = try PostgresEventStore(in: self.database, migrations: Self.beforeBookmarks)
        var writer = try StoreWriter(older)
        #expect(try self.database.query("SELECT steps, to_regclass('bookmark') IS NULL FROM store_meta") == ["2|t"])

        // when
        let newer = try PostgresEventStore(in: self.database)
        try await newer.setBookmarks(["read": [7]])

        // then
        #expect(newer.identity == older.identity)
        for _ in 0..<2 { try writer.append([writer.event([1])]) }
        let restarted = try PostgresEventStore(in: self.database, migrations: Self.beforeBookmarks)
        #expect(try await restarted.log().count == 2)
        #expect(try await newer.bookmarks(["read"]) == ["read": [7]])
        #expect(try self.database.query("SELECT schema, steps FROM store_meta") == ["1|4"])
        for store in [older, newer, restarted] { store.close() }
        try self.database.drop()
    }

    /// As the release before the levels registers a run.
    private func registerAsBefore(_ node: String, incarnation: Int) throws {
        try self.database.query(
            """
            INSERT INTO node (node_id, incarnation, lease_ms) VALUES ('\(node)', \(incarnation), 5000)
            ON CONFLICT (node_id) DO UPDATE
            SET incarnation = excluded.incarnation, live_epoch = node.live_epoch + 1, state = 'live'
            """)
    }

    @Test("a binary that knows no levels supports the first, also where a newer one ran before")
    func binariesWithoutLevels() throws {
        let store = try PostgresEventStore(in: self.database)
        _ = try store.begin(
            NodeRecord(id: NodeID(rawValue: "a"), incarnation: Incarnation(rawValue: 1), featureLevel: Self.second),
            lease: .seconds(5))
        try self.registerAsBefore("b", incarnation: 2)
        #expect(try store.view().nodes.map(\.record.featureLevel) == [Self.second, .first])
        #expect(try !store.raiseFeatureLevel(to: Self.second))
        try store.leave(try store.view().nodes[1].run)
        try self.registerAsBefore("a", incarnation: 3)
        #expect(try store.view().nodes.map(\.record.featureLevel) == [.first, .first])
        #expect(try !store.raiseFeatureLevel(to: Self.second))
        store.close()
        try self.database.drop()
    }

    @Test("from the second level on, a binary that knows no levels is refused")
    func levelsHaveToBeKnown() throws {
        let store = try PostgresEventStore(in: self.database)
        #expect(try store.raiseFeatureLevel(to: Self.second))
        #expect {
            try PostgresEventStore(in: self.database, migrations: Self.beforeLevels)
        } throws: { error in
            (error as? StoreError)?.message.contains("has schema 2, written by a newer version; this one knows 1")
                == true
        }
        try PostgresEventStore(in: self.database).close()
        store.close()
        try self.database.drop()
    }
}
