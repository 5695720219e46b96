import EventLog
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import SQLiteStore
import Testing

/// A copy that ends before it is complete, or nobody knows whether, and what comes after it.
@Suite(.onOwnThreads) struct CopyInterruptionTests {
    private let fixture: CopyFixture

    init() throws { self.fixture = try CopyFixture() }

    @Test func whatIsInterruptedLeavesNothingAndIsRepeated() async throws {
        try await self.fixture.fill(customers: 300)
        let source = try self.fixture.source()
        let before = try await StoreContents(of: source)
        // The session ends in the middle.
        #expect {
            try self.fixture.receive(source) { rows, _ in if rows > 300 { try? self.fixture.database.endSessions() } }
        } throws: { error in
            (error as? StoreError)?.message.contains("nothing was stored") == true
        }
        #expect(try self.fixture.database.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == ["0"])
        #expect(try self.fixture.receive(source).isNew)
        try source.close()
        let copy = try PostgresEventStore(in: self.fixture.database)
        #expect(try await StoreContents(of: copy) == before)
        copy.close()
        try self.fixture.database.drop()
    }

    @Test func aCommitWhoseAnswerIsLostIsFoundOut() async throws {
        try await self.fixture.fill(customers: 3)
        let source = try self.fixture.source()
        let proxy = try CuttingProxy(to: self.fixture.database.server.port)
        let cut = self.fixture.database.url(port: proxy.port, "sslmode=disable&connect_timeout=2")
        let total = try source.tally().rows
        proxy.set(.beforeTheAnswerTo(statement: "commit"))
        #expect {
            try PostgresDestination(connectionString: cut).receive(source) { #expect($0 <= total && $1 == total) }
        } throws: { error in
            (error as? StoreError)?.code == .outcomeUnknown
                && (error as? StoreError)?.message.contains("may be there or not") == true
        }
        proxy.close()
        let arrival = try self.fixture.receive(source)
        #expect(!arrival.isNew)
        #expect(arrival.tally == (try source.tally()))
        try source.close()
        try self.fixture.database.drop()
    }

    @Test func aCopyByTheReleaseBeforeBookmarksIsTakenForTheSame() async throws {
        // given a copy as the older release makes it, whose file was not marked
        let store = try SQLiteEventStore(in: self.fixture.directory)
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        try store.close()
        let source = try self.fixture.source()
        #expect(try self.fixture.receive(source).isNew)
        try self.fixture.database.query("DROP TABLE bookmark, identifier; UPDATE store_meta SET steps = 2")

        // when
        let arrival = try self.fixture.receive(source)

        // then
        #expect(!arrival.isNew)
        try source.close()
        let copy = try PostgresEventStore(in: self.fixture.database)
        #expect(try await copy.log().count == 1)
        #expect(try await copy.bookmarks(["read"]) == [:])
        copy.close()
        try self.fixture.database.drop()
    }

    @Test func aCopyThatWasUsedSinceIsNotTakenForTheSame() async throws {
        try await self.fixture.fill(customers: 3)
        let source = try self.fixture.source()
        _ = try self.fixture.receive(source)
        let copy = try PostgresEventStore(in: self.fixture.database)
        _ = try StoreWriter(copy, incarnation: 11)  // a node that has only started
        copy.close()
        self.fixture.expectRefusal(source, .incompatible, "since it was copied there one of the two has been used")
        try source.close()
        try self.fixture.database.drop()
    }

    @Test func aFullDatabaseTakesNothing() async throws {
        try await self.fixture.fill(customers: 3)
        let source = try self.fixture.source()
        // A table space without room is not to be had here; a trigger says the same words.
        try self.fixture.database.query(
            """
            CREATE FUNCTION full_disk() RETURNS event_trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
            CREATE EVENT TRIGGER full_disk ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION full_disk();
            """)
        self.fixture.expectRefusal(source, .full, "could not extend file (SQLSTATE 53100); nothing was stored")
        try self.fixture.database.query("DROP EVENT TRIGGER full_disk")
        #expect(try self.fixture.receive(source).isNew)
        try source.close()
        try self.fixture.database.drop()
    }
}
