import EventSourcing
import Foundation
import GRDB
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import SQLiteStore
import Testing

/// A store moves from its SQLite file to a database.
@Suite struct CopyTests {
    private let directory: TemporaryDirectory
    private let database: PostgresDatabase

    init() throws {
        self.directory = try TemporaryDirectory()
        self.database = try PostgresServer.shared().makeDatabase()
    }

    // MARK: What arrives

    @Test func everythingArrivesAndGoesOn() async throws {
        // given a store that two runs of a node have written
        try await self.fill()
        let source = try self.source()
        let before = try await Contents(of: source)

        // when
        let progress = Progress()
        let arrival = try self.receive(source) { progress.report($0, $1) }
        try source.markMoved(to: arrival.place)
        try source.close()

        // then both answer alike
        #expect(arrival.isNew)
        #expect(arrival.tally.rows(of: "event") == before.logs.joined().count)
        #expect(progress.isRising && progress.last == arrival.tally.rows)
        let copy = try PostgresEventStore(in: self.database)
        let after = try await Contents(of: copy)
        #expect(after == before)
        #expect(Set(before.heads.map(\.incarnationTag)) == [0, 5, 6])
        #expect(before.logs.joined().count > 4096 && before.evidence.count > 100)
        #expect(before.quarantine.map(\.id) == [1, 3])
        #expect(before.bookmarks == ["read": [1, 0, 255], "ä\u{0}": [2]])
        #expect(
            try self.database.query("SELECT feature_level, schema, moved_to IS NULL FROM store_meta") == ["3|2|t"])

        // and the copy goes on where the file ended
        var writer = try StoreWriter(copy, incarnation: 9)
        #expect(writer.ownership.map(\.head) == before.heads.map(\.sequence))
        #expect(writer.ownership.map(\.epoch.rawValue) == before.shards.map { $0.epoch.rawValue + 1 })
        let fresh = writer.event([200], evidence: [Self.original(7)])
        let next = Sequence(rawValue: before.heads[3].sequence.rawValue + 1)
        #expect(try writer.append([fresh], to: 3) == [.appended(head: next)])
        #expect(try await copy.events(withDedupKeys: [fresh.dedupKey], in: ShardID(rawValue: 3)).count == 1)
        try await copy.quarantine(
            QuarantinedPayload(digest: [9], reason: "unknownApp", detail: "", receivedAt: 1, raw: [1]))
        #expect(try await copy.quarantined(after: 3, limit: 9).map(\.id) == [5], "4 was given and taken away")
        try await self.expectOldRepetitionIsRefused(by: copy, writer)
        copy.close()
        try self.database.drop()
    }

    /// What was stored before the move is known as stored.
    private func expectOldRepetitionIsRefused(by copy: PostgresEventStore, _ writer: StoreWriter) async throws {
        var writer = writer
        var old = writer.event([1])
        old.dedupKey = try #require(try await copy.log(3).first).dedupKey
        #expect(throws: StoreError.self) { try writer.append([old], to: 3) }
    }

    @Test func tablesThatNothingWritesYetAreCopiedToo() throws {
        try SQLiteEventStore(in: self.directory).close()
        try self.edit(
            """
            INSERT INTO inbox VALUES (x'01', 3, 4, x'', 5, NULL), (x'02', 3, 4, x'FF00', 0, 6);
            INSERT INTO revision VALUES (7, 'r', 8);
            INSERT INTO cursor VALUES ('c', 9, x'0A');
            INSERT INTO delivery VALUES ('e', 11, 12, 13, 14);
            INSERT INTO node VALUES ('n', -1, 2, 3, 4, NULL, NULL, 'gone');
            INSERT INTO quarantine VALUES (8, x'01', 'a' || char(0), 'd', 1, x'02');
            """)
        _ = try self.receive(self.source())
        let rows = try [
            "SELECT * FROM inbox ORDER BY dedup_key", "SELECT * FROM revision", "SELECT * FROM cursor",
            "SELECT * FROM delivery", "SELECT * FROM node", "SELECT reason FROM quarantine",
        ].flatMap { try self.database.query($0) }
        #expect(
            rows == [
                "\\x01|3|4|\\x|5|", "\\x02|3|4|\\xff00|0|6", "7|r|8", "c|9|\\x0a", "e|11|12|13|14",
                "n|-1|2|3|4|||gone|1|", "a\u{FFFD}",
            ])
        try self.database.drop()
    }

    @Test func anEmptyStoreArrivesEmpty() async throws {
        let store = try SQLiteEventStore(in: self.directory)
        let identity = store.identity
        try store.close()
        #expect(try self.receive(self.source()).isNew)
        let copy = try PostgresEventStore(in: self.database)
        #expect(copy.identity == identity)
        #expect(try await copy.statistics() == StoreStatistics(streams: 0, events: 0))
        var writer = try StoreWriter(copy)
        #expect(try writer.append([writer.event([1])]) == [.appended(head: Sequence(rawValue: 1))])
        copy.close()
        try self.database.drop()
    }

    @Test func everyColumnOfEitherSchemaTravelsOrIsKnownToStay() throws {
        try SQLiteEventStore(in: self.directory).close()
        try PostgresEventStore(in: self.database).close()
        let staying: Set = ["event.id", "evidence.event_id"]
        let travelling = Set(StoreTable.all.flatMap { table in table.columns.map { "\(table.name).\($0)" } })
        let meta = ["store_id", "restore_gen", "shard_count", "schema", "steps", "feature_level", "moved_to"]
        let expected = travelling.union(meta.map { "store_meta.\($0)" })
        let queue = try DatabaseQueue(path: self.directory.path("store.db"))
        let inFile = try queue.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
                    WHERE t.type = 'table' AND t.name <> 'sqlite_sequence'
                    """)
        }
        let inDatabase = try self.database.query(
            "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'")
        let moved: Set = ["evidence.shard_id", "evidence.seq"]
        #expect(Set(inFile) == expected.union(staying).subtracting(moved).union(["store_meta.only"]))
        let shared: Set = ["store_meta.singleton", "store_meta.registrations"]
        let nodes: Set = ["node.feature_level", "node.feature_incarnation"]
        #expect(Set(inDatabase) == expected.union(shared).union(nodes))
        try self.database.drop()
    }

    // MARK: The file afterwards

    @Test func aFileThatWasMovedOpensNoMore() throws {
        try SQLiteEventStore(in: self.directory).close()
        let source = try self.source()
        let url = self.database.url(user: "postgres:s3cret")
        try source.markMoved(to: PostgresDestination(connectionString: url).receive(source).place)
        try source.close()
        for open in [{ try SQLiteEventStore(in: self.directory) }, { try self.source() }] {
            #expect {
                _ = try open()
            } throws: { error in
                let message = (error as? StoreError)?.message ?? ""
                return message.contains("was moved to the database \(self.database.name) at 127.0.0.1")
                    && !message.contains("s3cret")
            }
        }
        try self.database.drop()
    }

    @Test func theSchemaIsNamedWhenItIsNotTheUsualOne() throws {
        try SQLiteEventStore(in: self.directory).close()
        try self.database.query("CREATE SCHEMA production")
        let url = self.database.url("sslmode=disable&options=-csearch_path%3Dproduction")
        let arrival = try PostgresDestination(connectionString: url).receive(self.source())
        #expect(arrival.place.hasPrefix("the schema production of the database \(self.database.name)"))
        try self.database.drop()
    }

    // MARK: Refusals

    @Test func aDatabaseThatIsNotEmptyIsRefused() async throws {
        try await self.fill(customers: 3)
        let source = try self.source()
        try self.database.query("CREATE TABLE theirs (id INTEGER)")
        self.expectRefusal(source, .incompatible, "holds tables, but is not a Perennial store")
        try self.database.query("DROP TABLE theirs")
        try PostgresEventStore(in: self.database).close()
        self.expectRefusal(source, .incompatible, "holds another store already")
        try source.close()
        try self.database.drop()
    }

    @Test func whatIsNoStoreToMoveIsRefused() throws {
        self.expectRefusal(opening: "nowhere.db", .unavailable, "there is no such file")
        #expect(!FileManager.default.fileExists(atPath: self.directory.path("nowhere.db.lock")))
        try Data().write(to: self.directory.url.appending(path: "empty.db"))
        self.expectRefusal(opening: "empty.db", .incompatible, "is empty: it is not a Perennial store")
        try Data("text, and some more of it".utf8).write(to: self.directory.url.appending(path: "text.db"))
        self.expectRefusal(opening: "text.db", .corrupt, "cannot open")
        try self.edit("CREATE TABLE theirs (id INTEGER)")
        self.expectRefusal(opening: "store.db", .incompatible, "not a Perennial store")
        try self.database.drop()
    }

    @Test func aStoreInUseOrOfANewerProgramIsRefused() throws {
        let next = SQLiteStore.SchemaMigration(
            number: 3, .contracts, sql: "ALTER TABLE stream ADD COLUMN note TEXT")
        let store = try SQLiteEventStore(in: self.directory)
        self.expectRefusal(opening: "store.db", .unavailable, "in use by process")
        try store.close()
        try SQLiteEventStore(in: self.directory, migrations: SQLiteStore.SchemaMigration.all + [next]).close()
        self.expectRefusal(opening: "store.db", .incompatible, "has schema 3, written by a newer version")
        try self.database.drop()
    }

    @Test func anOlderStoreIsBroughtUpToDateFirst() async throws {
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        try store.close()
        var configuration = SQLiteConfiguration(path: self.directory.path("store.db"))
        configuration.shardCount = nil
        let next = SQLiteStore.SchemaMigration(
            number: 3, .expands, sql: "ALTER TABLE stream ADD COLUMN note TEXT")
        let source = try SQLiteEventStore(
            configuration: configuration, migrations: SQLiteStore.SchemaMigration.all + [next])
        #expect(try self.receive(source).tally.rows(of: "event") == 1)
        let copy = try PostgresEventStore(in: self.database)
        #expect(try await copy.log().count == 1)
        copy.close()
        try self.database.drop()
    }

    // MARK: Interruptions

    @Test func whatIsInterruptedLeavesNothingAndIsRepeated() async throws {
        try await self.fill(customers: 300)
        let source = try self.source()
        let before = try await Contents(of: source)
        // The session ends in the middle.
        #expect {
            try self.receive(source) { rows, _ in if rows > 300 { try? self.database.endSessions() } }
        } throws: { error in
            (error as? StoreError)?.message.contains("nothing was stored") == true
        }
        #expect(try self.database.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == ["0"])
        #expect(try self.receive(source).isNew)
        try source.close()
        let copy = try PostgresEventStore(in: self.database)
        #expect(try await Contents(of: copy) == before)
        copy.close()
        try self.database.drop()
    }

    @Test func aCommitWhoseAnswerIsLostIsFoundOut() async throws {
        try await self.fill(customers: 3)
        let source = try self.source()
        let proxy = try CuttingProxy(to: self.database.server.port)
        let cut = self.database.url(port: proxy.port, "sslmode=disable&connect_timeout=2")
        let total = try source.tally().rows
        proxy.set(.beforeTheAnswerTo(statement: "commit"))
        #expect {
            try PostgresDestination(connectionString: cut).receive(source) { #expect($0 <= total && $1 == total) }
        } throws: { error in
            (error as? StoreError)?.code == .outcomeUnknown
                && (error as? StoreError)?.message.contains("may be there or not") == true
        }
        proxy.close()
        let arrival = try self.receive(source)
        #expect(!arrival.isNew)
        #expect(arrival.tally == (try source.tally()))
        try source.close()
        try self.database.drop()
    }

    @Test func aCopyByTheReleaseBeforeBookmarksIsTakenForTheSame() async throws {
        // given a copy as the older release makes it, whose file was not marked
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        try store.close()
        let source = try self.source()
        #expect(try self.receive(source).isNew)
        try self.database.query("DROP TABLE bookmark; UPDATE store_meta SET steps = 2")

        // when
        let arrival = try self.receive(source)

        // then
        #expect(!arrival.isNew)
        try source.close()
        let copy = try PostgresEventStore(in: self.database)
        #expect(try await copy.log().count == 1)
        #expect(try await copy.bookmarks(["read"]) == [:])
        copy.close()
        try self.database.drop()
    }

    @Test func aCopyThatWasUsedSinceIsNotTakenForTheSame() async throws {
        try await self.fill(customers: 3)
        let source = try self.source()
        _ = try self.receive(source)
        let copy = try PostgresEventStore(in: self.database)
        _ = try StoreWriter(copy, incarnation: 11)  // a node that has only started
        copy.close()
        self.expectRefusal(source, .incompatible, "since it was copied there one of the two has been used")
        try source.close()
        try self.database.drop()
    }

    @Test func aFullDatabaseTakesNothing() async throws {
        try await self.fill(customers: 3)
        let source = try self.source()
        // A table space without room is not to be had here; a trigger says the same words.
        try self.database.query(
            """
            CREATE FUNCTION full_disk() RETURNS event_trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
            CREATE EVENT TRIGGER full_disk ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION full_disk();
            """)
        self.expectRefusal(source, .full, "could not extend file (SQLSTATE 53100); nothing was stored")
        try self.database.query("DROP EVENT TRIGGER full_disk")
        #expect(try self.receive(source).isNew)
        try source.close()
        try self.database.drop()
    }

    // MARK: Support

    private func source() throws -> SQLiteEventStore { try self.source("store.db") }

    private func source(_ name: String) throws -> SQLiteEventStore {
        var configuration = SQLiteConfiguration(path: self.directory.path(name))
        configuration.shardCount = nil
        return try SQLiteEventStore(configuration: configuration)
    }

    private func receive(
        _ source: SQLiteEventStore, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(StoreError) -> PostgresDestination.Arrival {
        try PostgresDestination(connectionString: self.database.url).receive(source, progress: progress)
    }

    private static func original(_ number: Int) -> [UInt8] {
        var notifications = SyntheticNotifications(seed: UInt64(number))
        return notifications.renewal(customer: number, period: 1)
    }

    /// A store that two runs of a node have written, closed: events with and without originals, some of them erased,
    /// look-ups, due streams, and a quarantine whose ids have holes.
    private func fill(customers: Int = 2100) async throws {
        let store = try SQLiteEventStore(in: self.directory)
        var first = try StoreWriter(store, incarnation: 5)
        var notifications = SyntheticNotifications()
        for start in stride(from: 0, to: customers, by: 100) {
            var batches: [ShardBatch] = []
            for shard in [3, 40] {
                let events = (start..<min(start + 100, customers)).map { customer in
                    let evidence = customer < 150 ? [notifications.renewal(customer: customer, period: shard)] : []
                    return first.event(
                        Self.key(customer), evidence: evidence, dedupKey: Self.key(customer) + [UInt8(shard)])
                }
                batches.append(Self.completed(first.batch(shard, events)))
            }
            _ = try first.append(batches)
        }
        var second = try StoreWriter(resuming: first, incarnation: 6)
        try second.append([second.event(Self.key(1))], to: 40)
        try await store.eraseEvidence(of: Self.key(1), in: ShardID(rawValue: 3))
        for digest in UInt8(1)...3 {
            try await store.quarantine(
                QuarantinedPayload(
                    digest: [digest], reason: "unknownApp", detail: "d\(digest)", receivedAt: 1, raw: [digest]))
        }
        try await store.removeQuarantined(2)
        try await store.setBookmarks(["read": [1, 0, 255], "ä\u{0}": [2], "gone": [3]])
        try await store.setBookmarks(["gone": []])
        try store.close()
        try self.edit(
            """
            INSERT INTO quarantine VALUES (4, x'44', '', '', 0, x''); DELETE FROM quarantine WHERE id = 4;
            UPDATE store_meta SET feature_level = 3, restore_gen = 2
            """)
    }

    private static func key(_ customer: Int) -> [UInt8] { [UInt8(customer >> 8), UInt8(customer & 255)] }

    private static func completed(_ batch: ShardBatch) -> ShardBatch {
        var batch = batch
        for index in batch.streams.indices where index.isMultiple(of: 3) { batch.streams[index].nextDue = Int64(index) }
        batch.lookups = batch.streams.map { Lookup(kind: .customer, value: "ä\($0.key[1] % 7)\u{0}", key: $0.key) }
        return batch
    }

    private func edit(_ sql: String) throws {
        let queue = try DatabaseQueue(path: self.directory.path("store.db"))
        try queue.write { db in try db.execute(sql: sql) }
        try queue.close()
    }

    private func expectRefusal(
        _ source: SQLiteEventStore, _ code: StoreError.Code, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.expect(code, text, sourceLocation) { _ = try self.receive(source) }
    }

    private func expectRefusal(
        opening name: String, _ code: StoreError.Code, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.expect(code, text, sourceLocation) { _ = try self.source(name) }
    }

    private func expect(
        _ code: StoreError.Code, _ text: String, _ sourceLocation: SourceLocation, _ body: () throws -> Void
    ) {
        #expect(sourceLocation: sourceLocation) {
            try body()
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            if error.code == code, error.message.contains(text), !error.message.contains("\n") { return true }
            print("not \"\(text)\": \(error.code) \(error.message)")
            return false
        }
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

/// All that can be read from a store.
private struct Contents: Equatable {
    var identity: StoreIdentity
    var nodes: [NodeRecord]
    var shards: [ShardRecord]
    var heads: [Position]
    var tags: [UInt32?]
    var logs: [[StoredEvent]]
    var streams: [[StreamRow]]
    var due: [[StreamRow]]
    var evidence: [Evidence]
    var lookups: [[[UInt8]]]
    var quarantine: [QuarantinedPayload]
    var bookmarks: [String: [UInt8]]
    var statistics: StoreStatistics

    init(of store: some EventStore) async throws {
        self.identity = store.identity
        self.nodes = try await store.nodes()
        self.shards = try await store.shards()
        self.heads = try await store.heads()
        (self.tags, self.logs, self.streams, self.due, self.evidence) = ([], [], [], [], [])
        for head in self.heads {
            let log = try await store.log(Int(head.shard.rawValue))
            self.logs.append(log)
            self.streams.append(try await store.streams(in: head.shard, after: nil, limit: .max))
            self.due.append(try await store.due(in: head.shard, at: .max, limit: .max))
            for sequence in [0, 1, head.sequence.rawValue, head.sequence.rawValue + 1] {
                self.tags.append(
                    try await store.incarnationTag(of: Sequence(rawValue: sequence), in: head.shard))
            }
            for event in log.prefix(160) {
                guard let evidence = try await store.evidence(of: event.sequence, in: head.shard) else { continue }
                self.evidence.append(evidence)
            }
        }
        self.lookups = []
        for number in 0..<8 {
            self.lookups.append(try await store.streams(for: .customer, value: "ä\(number)\u{0}"))
        }
        self.quarantine = try await store.quarantined(after: 0, limit: 99)
        self.bookmarks = try await store.bookmarks(["read", "ä\u{0}", "gone"])
        self.statistics = try await store.statistics()
    }
}

extension SQLiteEventStore {
    /// In `directory`, with the bounds of the contract.
    fileprivate convenience init(
        in directory: TemporaryDirectory, migrations: [SQLiteStore.SchemaMigration] = SQLiteStore.SchemaMigration.all
    ) throws(StoreError) {
        var configuration = SQLiteConfiguration(path: directory.path("store.db"))
        configuration.shardCount = StoreContract.shardCount
        try self.init(configuration: configuration, migrations: migrations)
    }
}
