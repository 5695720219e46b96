import EventLog
import Foundation
import GRDB
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import SQLiteStore
import Testing

/// A store moves from its SQLite file to a database.
@Suite(.onOwnThreads) struct CopyTests {
    private let fixture: CopyFixture

    init() throws { self.fixture = try CopyFixture() }

    @Test func everythingArrivesAndGoesOn() async throws {
        // given a store that two runs of a node have written
        try await self.fixture.fill()
        let source = try self.fixture.source()
        let before = try await StoreContents(of: source)

        // when
        let progress = Progress()
        let arrival = try self.fixture.receive(source) { progress.report($0, $1) }
        try source.markMoved(to: arrival.place)
        try source.close()

        // then both answer alike
        #expect(arrival.isNew)
        #expect(arrival.tally.rows(of: "event") == before.logs.joined().count)
        #expect(progress.isRising && progress.last == arrival.tally.rows)
        let copy = try PostgresEventStore(in: self.fixture.database)
        let after = try await StoreContents(of: copy)
        #expect(after == before)
        #expect(Set(before.heads.map(\.incarnationTag)) == [0, 5, 6])
        #expect(before.logs.joined().count > 4096 && before.evidence.count > 100)
        #expect(before.quarantine.map(\.id) == [1, 3])
        #expect(before.bookmarks == ["read": [1, 0, 255], "ä\u{0}": [2]])
        #expect(
            try self.fixture.database.query("SELECT feature_level, schema, moved_to IS NULL FROM store_meta") == [
                "3|2|t"
            ])

        // and the copy goes on where the file ended
        var writer = try StoreWriter(copy, incarnation: 9)
        #expect(writer.ownership.map(\.head) == before.heads.map(\.sequence))
        #expect(writer.ownership.map(\.epoch.rawValue) == before.shards.map { $0.epoch.rawValue + 1 })
        let fresh = writer.event([200], evidence: [CopyFixture.original(7)])
        let next = LogSequence(rawValue: before.heads[3].sequence.rawValue + 1)
        #expect(try writer.append([fresh], to: 3) == [.appended(head: next)])
        #expect(try await copy.events(withDedupKeys: [fresh.dedupKey], in: ShardID(rawValue: 3)).count == 1)
        try await copy.quarantine(
            QuarantinedPayload(digest: [9], reason: "nestedMismatch", detail: "", receivedAt: 1, raw: [1]))
        #expect(try await copy.quarantined(after: 3, limit: 9).map(\.id) == [5], "4 was given and taken away")
        try await self.expectOldRepetitionIsRefused(by: copy, writer)
        copy.close()
        try self.fixture.database.drop()
    }

    /// What was stored before the move is known as stored.
    private func expectOldRepetitionIsRefused(by copy: PostgresEventStore, _ writer: StoreWriter) async throws {
        var writer = writer
        var old = writer.event([1])
        old.dedupKey = try #require(try await copy.log(3).first).dedupKey
        #expect(throws: StoreError.self) { try writer.append([old], to: 3) }
    }

    @Test func tablesThatNothingWritesYetAreCopiedToo() throws {
        try SQLiteEventStore(in: self.fixture.directory).close()
        try self.fixture.edit(
            """
            INSERT INTO inbox VALUES (x'01', 3, 4, x'', 5, NULL), (x'02', 3, 4, x'FF00', 0, 6);
            INSERT INTO revision VALUES (7, 'r', 8);
            INSERT INTO cursor VALUES ('c', 9, x'0A');
            INSERT INTO delivery VALUES ('e', 11, 12, 13, 14);
            INSERT INTO node VALUES ('n', -1, 2, 3, 4, NULL, NULL, 'gone');
            INSERT INTO quarantine VALUES (8, x'01', 'a' || char(0), 'd', 1, x'02');
            """)
        _ = try self.fixture.receive(self.fixture.source())
        let rows = try [
            "SELECT * FROM inbox ORDER BY dedup_key", "SELECT * FROM revision", "SELECT * FROM cursor",
            "SELECT * FROM delivery", "SELECT * FROM node", "SELECT reason FROM quarantine",
        ].flatMap { try self.fixture.database.query($0) }
        #expect(
            rows == [
                "\\x01|3|4|\\x|5|", "\\x02|3|4|\\xff00|0|6", "7|r|8", "c|9|\\x0a", "e|11|12|13|14",
                "n|-1|2|3|4|||gone|1|", "a\u{FFFD}",
            ])
        try self.fixture.database.drop()
    }

    @Test func anEmptyStoreArrivesEmpty() async throws {
        let store = try SQLiteEventStore(in: self.fixture.directory)
        let identity = store.identity
        try store.close()
        #expect(try self.fixture.receive(self.fixture.source()).isNew)
        let copy = try PostgresEventStore(in: self.fixture.database)
        #expect(copy.identity == identity)
        #expect(try await copy.statistics() == StoreStatistics(streams: 0, events: 0))
        var writer = try StoreWriter(copy)
        #expect(try writer.append([writer.event([1])]) == [.appended(head: LogSequence(rawValue: 1))])
        copy.close()
        try self.fixture.database.drop()
    }

    @Test func everyColumnOfEitherSchemaTravelsOrIsKnownToStay() throws {
        try SQLiteEventStore(in: self.fixture.directory).close()
        try PostgresEventStore(in: self.fixture.database).close()
        let staying: Set = ["event.id", "evidence.event_id"]
        let travelling = Set(StoreTable.all.flatMap { table in table.columns.map { "\(table.name).\($0)" } })
        let meta = ["store_id", "restore_gen", "shard_count", "schema", "steps", "feature_level", "moved_to"]
        let expected = travelling.union(meta.map { "store_meta.\($0)" })
        let queue = try DatabaseQueue(path: self.fixture.directory.path("store.db"))
        let inFile = try queue.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
                    WHERE t.type = 'table' AND t.name <> 'sqlite_sequence'
                    """)
        }
        let inDatabase = try self.fixture.database.query(
            "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'")
        let moved: Set = ["evidence.shard_id", "evidence.seq"]
        #expect(Set(inFile) == expected.union(staying).subtracting(moved).union(["store_meta.only"]))
        let shared: Set = ["store_meta.singleton", "store_meta.registrations"]
        let nodes: Set = ["node.feature_level", "node.feature_incarnation"]
        #expect(Set(inDatabase) == expected.union(shared).union(nodes))
        try self.fixture.database.drop()
    }

    // MARK: The file afterwards

    @Test func aFileThatWasMovedOpensNoMore() throws {
        try SQLiteEventStore(in: self.fixture.directory).close()
        let source = try self.fixture.source()
        let url = self.fixture.database.url(user: "postgres:s3cret")
        try source.markMoved(to: PostgresDestination(connectionString: url).receive(source).place)
        try source.close()
        for open in [{ try SQLiteEventStore(in: self.fixture.directory) }, { try self.fixture.source() }] {
            #expect {
                _ = try open()
            } throws: { error in
                let message = (error as? StoreError)?.message ?? ""
                return message.contains("was moved to the database \(self.fixture.database.name) at 127.0.0.1")
                    && !message.contains("s3cret")
            }
        }
        try self.fixture.database.drop()
    }

    @Test func theSchemaIsNamedWhenItIsNotTheUsualOne() throws {
        try SQLiteEventStore(in: self.fixture.directory).close()
        try self.fixture.database.query("CREATE SCHEMA production")
        let url = self.fixture.database.url("sslmode=disable&options=-csearch_path%3Dproduction")
        let arrival = try PostgresDestination(connectionString: url).receive(self.fixture.source())
        #expect(arrival.place.hasPrefix("the schema production of the database \(self.fixture.database.name)"))
        try self.fixture.database.drop()
    }
}

/// What was told of a copy's progress.
private final class Progress {
    private(set) var last = 0
    private(set) var isRising = true

    func report(_ rows: Int, _ total: Int) {
        if rows <= self.last || rows > total { self.isRising = false }
        self.last = rows
    }
}
