import EventLog
import Foundation
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import SQLiteStore
import Testing

/// What is not copied, or to where not.
@Suite(.onOwnThreads) struct CopyRefusalTests {
    private let fixture: CopyFixture

    init() throws { self.fixture = try CopyFixture() }

    @Test func aDatabaseThatIsNotEmptyIsRefused() async throws {
        try await self.fixture.fill(customers: 3)
        let source = try self.fixture.source()
        try self.fixture.database.query("CREATE TABLE theirs (id INTEGER)")
        self.fixture.expectRefusal(source, .incompatible, "holds tables, but is not a Perennial store")
        try self.fixture.database.query("DROP TABLE theirs")
        try PostgresEventStore(in: self.fixture.database).close()
        self.fixture.expectRefusal(source, .incompatible, "holds another store already")
        try source.close()
        try self.fixture.database.drop()
    }

    @Test func whatIsNoStoreToMoveIsRefused() throws {
        self.fixture.expectRefusal(opening: "nowhere.db", .unavailable, "there is no such file")
        #expect(!FileManager.default.fileExists(atPath: self.fixture.directory.path("nowhere.db.lock")))
        try Data().write(to: self.fixture.directory.url.appending(path: "empty.db"))
        self.fixture.expectRefusal(opening: "empty.db", .incompatible, "is empty: it is not a Perennial store")
        try Data("text, and some more of it".utf8).write(to: self.fixture.directory.url.appending(path: "text.db"))
        self.fixture.expectRefusal(opening: "text.db", .corrupt, "cannot open")
        try self.fixture.edit("CREATE TABLE theirs (id INTEGER)")
        self.fixture.expectRefusal(opening: "store.db", .incompatible, "not a Perennial store")
        try self.fixture.database.drop()
    }

    @Test func aStoreInUseOrOfANewerProgramIsRefused() throws {
        let next = SQLiteStore.SchemaMigration(
            number: 4, .contracts, sql: "ALTER TABLE stream ADD COLUMN note TEXT")
        let store = try SQLiteEventStore(in: self.fixture.directory)
        self.fixture.expectRefusal(opening: "store.db", .unavailable, "in use by process")
        try store.close()
        try SQLiteEventStore(in: self.fixture.directory, migrations: SQLiteStore.SchemaMigration.all + [next]).close()
        self.fixture.expectRefusal(opening: "store.db", .incompatible, "has schema 4, written by a newer version")
        try self.fixture.database.drop()
    }

    @Test func anOlderStoreIsBroughtUpToDateFirst() async throws {
        let store = try SQLiteEventStore(in: self.fixture.directory)
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        try store.close()
        var configuration = SQLiteConfiguration(path: self.fixture.directory.path("store.db"))
        configuration.shardCount = nil
        let next = SQLiteStore.SchemaMigration(
            number: 4, .expands, sql: "ALTER TABLE stream ADD COLUMN note TEXT")
        let source = try SQLiteEventStore(
            configuration: configuration, migrations: SQLiteStore.SchemaMigration.all + [next])
        #expect(try self.fixture.receive(source).tally.rows(of: "event") == 1)
        let copy = try PostgresEventStore(in: self.fixture.database)
        #expect(try await copy.log().count == 1)
        copy.close()
        try self.fixture.database.drop()
    }
}
