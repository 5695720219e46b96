import EventLog
import Foundation
import GRDB
import PerennialTestSupport
import SQLiteStore
import Testing

/// Files that are removed or replaced while the store has them open.
@Suite(.onOwnThreads) struct SQLiteLostFileTests {
    private let directory: TemporaryDirectory
    private let files = FileManager.default

    init() throws { self.directory = try TemporaryDirectory() }

    private var path: String { self.directory.path("store.db") }

    /// What an operator may do to a running node, and what that leaves under the path.
    enum Deed: CaseIterable {
        case removesFile, movesFileAway, putsBackupInPlace, removesLog, removesFolder
    }

    private func `do`(_ deed: Deed) throws {
        switch deed {
        case .removesFile: try self.files.removeItem(atPath: self.path)
        case .movesFileAway: try self.files.moveItem(atPath: self.path, toPath: self.directory.path("aside.db"))
        case .putsBackupInPlace:
            #expect(rename(self.directory.path("backup.db"), self.path) == 0)
        case .removesLog: try self.files.removeItem(atPath: self.path + "-wal")
        case .removesFolder: try self.files.removeItem(at: self.directory.url)
        }
    }

    /// A store with two events, of which a backup has the first.
    private func makeStore() throws -> (SQLiteEventStore, StoreWriter) {
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        try self.backUp(to: "backup.db")
        try writer.append([writer.event([1])])
        return (store, writer)
    }

    /// As `sqlite3 store.db ".backup …"` does it: SQLite knows that the file is open, and closes nothing.
    private func backUp(to name: String) throws {
        let source = try DatabaseQueue(path: self.path)
        let backup = try DatabaseQueue(path: self.directory.path(name))
        try source.backup(to: backup)
        try backup.close()
        try source.close()
    }

    @Test("a store whose files are not at their path any more confirms and reads nothing", arguments: Deed.allCases)
    func confirmsNothing(_ deed: Deed) async throws {
        // given
        let (store, writer) = try self.makeStore()
        var next = writer
        try store.checkFiles()
        // when
        try self.do(deed)
        // then
        Self.expect(.unavailable) { try store.checkFiles() }
        let batch = next.batch(0, [next.event([1])])
        Self.expect(.unavailable) { _ = try store.append([batch]) }
        await #expect(throws: StoreError.self) { try await store.log() }
        await #expect(throws: StoreError.self) { try await store.ping() }
        await #expect(throws: StoreError.self) { try await store.setBookmarks(["read": [1]]) }
        try store.close()
    }

    @Test("a file that is back where it was is taken again")
    func goesOn() async throws {
        let (store, writer) = try self.makeStore()
        var next = writer
        try self.do(.movesFileAway)
        Self.expect(.unavailable) { try store.checkFiles() }
        // when
        #expect(rename(self.directory.path("aside.db"), self.path) == 0)
        // then
        try store.checkFiles()
        try next.append([next.event([1])])
        #expect(try await store.log().count == 3)
        try store.close()
    }

    @Test("all that was confirmed is in the file that was moved away, without its log")
    func rescuesWhatWasConfirmed() async throws {
        let (store, _) = try self.makeStore()
        try self.do(.movesFileAway)
        // when
        Self.expect(.unavailable) { try store.checkFiles() }
        // then
        #expect(try self.files.attributesOfItem(atPath: self.path + "-wal")[.size] as? Int == 0)
        try store.close()
        #expect(try self.events(in: "aside.db") == 2)
    }

    @Test("a backup that was put in place is as it was for whoever opens it next, also after a power failure")
    func leavesBackupsAlone() async throws {
        // given
        let (store, _) = try self.makeStore()
        try self.do(.putsBackupInPlace)
        // when: the node has looked, and is gone without having closed anything
        Self.expect(.unavailable) { try store.checkFiles() }
        let folder = self.directory.path("after")
        try self.files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in ["store.db", "store.db-wal"] {
            try self.files.copyItem(atPath: self.directory.path(name), toPath: "\(folder)/\(name)")
        }
        // then
        #expect(try self.events(in: "after/store.db") == 1)
        try store.close()
        #expect(try self.events(in: "store.db") == 1)
    }

    @Test("a log that was removed is written into its file")
    func rescuesLog() async throws {
        let (store, _) = try self.makeStore()
        try self.do(.removesLog)
        // when
        Self.expect(.unavailable) { try store.checkFiles() }
        try store.close()
        // then
        let reopened = try SQLiteEventStore(in: self.directory)
        #expect(try await reopened.log().count == 2)
        try reopened.close()
    }

    @Test("a store says whether it was made or found")
    func saysWhetherItIsNew() throws {
        let made = try SQLiteEventStore(in: self.directory)
        #expect(made.isNew)
        try made.close()
        let found = try SQLiteEventStore(in: self.directory)
        #expect(!found.isNew)
        try found.close()
    }

    private func events(in name: String) throws -> Int? {
        let queue = try DatabaseQueue(path: self.directory.path(name))
        defer { try? queue.close() }
        return try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM event") }
    }

    private static func expect(
        _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        #expect(sourceLocation: sourceLocation) {
            try body()
        } throws: { error in
            (error as? StoreError)?.code == code
        }
    }
}
