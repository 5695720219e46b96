import EventLog
import Foundation
import GRDB
import PerennialTestSupport
import SQLiteStore
import Subscriptions
import Testing

/// Opening, refusing and re-opening the file.
@Suite(.onOwnThreads) struct SQLiteFileTests {
    private let directory: TemporaryDirectory

    init() throws { self.directory = try TemporaryDirectory() }

    @Test func everythingIsThereAfterReopening() async throws {
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store, incarnation: 5)
        var notifications = SyntheticNotifications()
        let original = notifications.renewal(customer: 1, period: 1)
        var batch = writer.batch(3, [writer.event([1], evidence: [original]), writer.event([1])])
        batch.streams[0].nextDue = 9
        batch.lookups = [Lookup(kind: .customer, value: "c", key: [1])]
        _ = try writer.append([batch])
        try await store.quarantine(
            QuarantinedPayload(digest: [1], reason: "unknownApp", detail: "d", receivedAt: 1, raw: [1]))
        try await store.setBookmarks(["read": [1, 2]])
        let before = try await Contents(of: store)
        try store.close()

        let reopened = try SQLiteEventStore(in: self.directory)

        #expect(try await Contents(of: reopened) == before)
        #expect(before.evidence == .kept([EvidencePart(name: .signedPayload, jws: original)]))
        #expect(before.due.count == 1 && before.lookups == [[1]] && before.quarantine.count == 1)
        #expect(before.bookmarks == ["read": [1, 2]])
        let claimed = try StoreWriter(reopened, incarnation: 6).ownership[3]
        #expect(claimed.epoch.rawValue == 2 && claimed.head.rawValue == 2)
    }

    @Test func `the quarantine's room is known after reopening`() async throws {
        let store = try SQLiteEventStore(in: self.directory)
        try await StoreContract.fillQuarantine(of: store)
        try store.close()

        try await StoreContract.holdFilledQuarantine(SQLiteEventStore(in: self.directory))
    }

    private struct Contents: Equatable {
        var identity: StoreIdentity
        var log: [StoredEvent]
        var due: [StreamRow]
        var heads: [Position]
        var evidence: Evidence?
        var lookups: [[UInt8]]
        var quarantine: [QuarantinedPayload]
        var bookmarks: [String: [UInt8]]

        init(of store: SQLiteEventStore) async throws {
            let shard = ShardID(rawValue: 3)
            self.identity = store.identity
            self.log = try await store.log(3)
            self.due = try await store.due(in: shard, at: 9, limit: 9)
            self.heads = try await store.heads()
            self.evidence = try await store.evidence(of: LogSequence(rawValue: 1), in: shard)
            self.lookups = try await store.streams(for: .customer, value: "c")
            self.quarantine = try await store.quarantined(after: 0, limit: 9)
            self.bookmarks = try await store.bookmarks(["read"])
        }
    }

    @Test func aSecondOpenerIsRefusedAndToldWhoHasIt() throws {
        let store = try SQLiteEventStore(in: self.directory)
        let pid = ProcessInfo.processInfo.processIdentifier
        self.expectRefusal(.unavailable, "in use by process \(pid)")
        try store.close()
        try SQLiteEventStore(in: self.directory).close()
    }

    @Test func theWayThroughALinkMeetsTheSameLock() throws {
        let store = try SQLiteEventStore(in: self.directory)
        let link = self.directory.path("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: self.directory.path("store.db"))
        self.expectRefusal(.unavailable, "in use by process", path: link)
        try store.close()
    }

    @Test func anotherNumberOfShardsIsRefused() throws {
        try SQLiteEventStore(in: self.directory).close()
        self.expectRefusal(.incompatible, "made with 64 shards, and 256 are configured", shardCount: 256)
    }

    @Test(arguments: [0, 8, 100, 8192])
    func aNumberOfShardsThatCannotBeIsRefused(_ shardCount: Int) throws {
        self.expectRefusal(.incompatible, "16…4096 shards, a power of two, not \(shardCount)", shardCount: shardCount)
        try SQLiteEventStore(in: self.directory).close()
    }

    @Test func anOlderSchemaIsBroughtUpToDateAndThenTooNewForTheOldBinary() async throws {
        let old = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(old)
        try writer.append([writer.event([1])])
        let log = try await old.log()
        try old.close()
        let next = SchemaMigration(number: 4, .contracts, sql: "ALTER TABLE stream ADD COLUMN note TEXT")

        let new = try SQLiteEventStore(in: self.directory, migrations: SchemaMigration.all + [next])
        #expect(try await new.log() == log)
        #expect(new.identity == old.identity)
        try new.close()

        try SQLiteEventStore(in: self.directory, migrations: SchemaMigration.all + [next]).close()
        self.expectRefusal(.incompatible, "has schema 4, written by a newer version; this one knows 3")
    }

    @Test func `a store of the first version takes the tables of later ones, and still opens for its old binary`()
        async throws
    {
        // given
        let before = Array(SchemaMigration.all.prefix(1))
        let old = try SQLiteEventStore(in: self.directory, migrations: before)
        try old.close()
        #expect(try self.tables("bookmark").isEmpty && self.tables("identifier").isEmpty)

        // when
        let new = try SQLiteEventStore(in: self.directory)
        #expect(new.identity == old.identity)
        var writer = try StoreWriter(new, incarnation: 1)
        try writer.append([writer.event([1])])
        try await new.setBookmarks(["read": [7]])
        try new.close()

        // then
        let again = try SQLiteEventStore(in: self.directory, migrations: before)
        var successor = try StoreWriter(again, incarnation: 2)
        try successor.append([successor.event([2])])
        try again.close()
        let newest = try SQLiteEventStore(in: self.directory)
        #expect(try await newest.log().count == 2)
        #expect(try await newest.bookmarks(["read"]) == ["read": [7]])
        try newest.close()
        #expect(try self.tables("bookmark") == ["bookmark"])
    }

    private func tables(_ name: String) throws -> [String] {
        try self.query("SELECT CAST(name AS BLOB) FROM sqlite_schema WHERE type = 'table' AND name = '\(name)'")
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aMigrationThatFailsChangesNothing() throws {
        // given
        try SQLiteEventStore(in: self.directory).close()
        let addition = "ALTER TABLE stream ADD COLUMN note TEXT"

        // when
        let broken = SchemaMigration(number: 4, .expands, sql: "\(addition); SELECT nonsense")
        #expect(throws: StoreError.self) {
            try SQLiteEventStore(in: self.directory, migrations: SchemaMigration.all + [broken])
        }

        // then
        #expect(try self.stepsAndColumns("note") == ["3|0"])
        let corrected = SchemaMigration(number: 4, .expands, sql: addition)
        try SQLiteEventStore(in: self.directory, migrations: SchemaMigration.all + [corrected]).close()
        #expect(try self.stepsAndColumns("note") == ["4|1"])
    }

    /// How many steps of the schema were done, and how many columns of `stream` have a name.
    private func stepsAndColumns(_ name: String) throws -> [String] {
        try self.query(
            """
            SELECT CAST(
                steps || '|' || (SELECT count(*) FROM pragma_table_info('stream') WHERE name = '\(name)') AS BLOB)
            FROM store_meta
            """
        ).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aStoreThatWasMovedAwayIsRefused() throws {
        try SQLiteEventStore(in: self.directory).close()
        try self.edit("UPDATE store_meta SET moved_to = 'postgresql://db'")
        self.expectRefusal(.incompatible, "was moved to postgresql://db")
    }

    @Test func aDatabaseOfSomebodyElseIsRefusedAndLeftAlone() throws {
        try self.edit("CREATE TABLE theirs (id INTEGER)")
        self.expectRefusal(.incompatible, "not a Perennial store")
        try self.edit("SELECT id FROM theirs")
    }

    @Test(arguments: [
        "/proc/store.db", "/nowhere/at/all/store.db", "/dev/null/store.db", NSTemporaryDirectory(),
    ])
    func aPlaceThatCannotBeWrittenIsOneReadableLine(_ path: String) {
        self.expectRefusal(.unavailable, path, path: path)
    }

    @Test func theFilesAreForTheirOwnerAlone() throws {
        let store = try SQLiteEventStore(in: self.directory)
        _ = try StoreWriter(store)
        for name in ["store.db", "store.db-wal", "store.db-shm", "store.db.lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: self.directory.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        try store.close()
    }

    @Test func readsGoOnWhileAWriteIsUnderWay() async throws {
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: self.directory.path("store.db"), configuration: configuration)
        try await other.writeWithoutTransaction { db in
            try db.beginTransaction(.immediate)
            try db.execute(sql: "DELETE FROM event")
        }
        #expect(try await store.log().count == 1)
        try await other.writeWithoutTransaction { db in try db.rollback() }
        try other.close()
        try store.close()
    }

    @Test func erasedEvidenceIsNowhereInTheFile() async throws {
        try self.fill()
        let body = try #require(try self.query("SELECT body FROM evidence WHERE event_id = 1").first)
        let file = self.directory.url.appending(path: "store.db")
        #expect(try Data(contentsOf: file).range(of: body) != nil)
        let store = try SQLiteEventStore(in: self.directory)
        try await store.eraseEvidence(of: [0], in: ShardID(rawValue: 0))
        try store.close()
        #expect(try Data(contentsOf: file).range(of: body) == nil)
    }

    // MARK: Damage

    @Test func aFileThatIsNoDatabaseIsCorrupt() throws {
        try Data(repeating: 7, count: 5000).write(to: self.directory.url.appending(path: "store.db"))
        self.expectRefusal(.corrupt, "cannot open")
    }

    @Test func aFileCutInTheMiddleIsCorrupt() throws {
        let file = self.directory.url.appending(path: "store.db")
        try self.fill()
        try Data(contentsOf: file).dropLast(20_000).write(to: file)
        self.expectRefusal(.corrupt, "cannot open")
    }

    @Test func garbageInAPageIsCorruptWhereItIsRead() async throws {
        let file = self.directory.url.appending(path: "store.db")
        try self.fill()
        var data = try Data(contentsOf: file)
        for page in (data.count / 4096 * 2 / 3)..<(data.count / 4096) {
            data.replaceSubrange(page * 4096..<page * 4096 + 64, with: Data(repeating: 0xA5, count: 64))
        }
        try data.write(to: file)
        let store = try SQLiteEventStore(in: self.directory)
        await #expect {
            for shard in 0..<StoreContract.shardCount { _ = try await store.log(shard) }
        } throws: { error in
            (error as? StoreError)?.code == .corrupt
        }
        try store.close()
    }

    @Test(arguments: [
        "UPDATE evidence SET body = randomblob(300)", "UPDATE evidence SET body = x''",
        "UPDATE evidence SET headers = '1,x'", "UPDATE evidence SET headers = ''", "DELETE FROM jws_header",
    ])
    func garbageInEvidenceIsCorrupt(_ damage: String) async throws {
        try self.fill()
        try self.edit(damage)
        let store = try SQLiteEventStore(in: self.directory)
        await #expect {
            _ = try await store.evidence(of: LogSequence(rawValue: 1), in: ShardID(rawValue: 0))
        } throws: { error in
            (error as? StoreError)?.code == .corrupt
        }
        #expect(try await store.log().count == 100)
        try store.close()
    }

    /// A store with a hundred events, closed.
    private func fill() throws {
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        var notifications = SyntheticNotifications()
        try writer.append(
            (0..<100).map { writer.event([UInt8($0)], evidence: [notifications.renewal(customer: $0, period: 1)]) })
        try store.close()
    }

    private func edit(_ sql: String) throws {
        let queue = try DatabaseQueue(path: self.directory.path("store.db"))
        try queue.write { db in try db.execute(sql: sql) }
        try queue.close()
    }

    private func query(_ sql: String) throws -> [Data] {
        let queue = try DatabaseQueue(path: self.directory.path("store.db"))
        return try queue.read { db in try Data.fetchAll(db, sql: sql) }
    }

    private func expectRefusal(
        _ code: StoreError.Code, _ text: String, path: String? = nil, shardCount: Int = StoreContract.shardCount,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var configuration = SQLiteConfiguration(path: path ?? self.directory.path("store.db"))
        configuration.shardCount = shardCount
        #expect(sourceLocation: sourceLocation) {
            try SQLiteEventStore(configuration: configuration)
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == code && error.message.contains(text) && !error.message.contains("\n")
        }
    }
}
