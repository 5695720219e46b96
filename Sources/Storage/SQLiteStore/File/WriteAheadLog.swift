import GRDB
import GRDBSQLite
import Synchronization

/// The write-ahead log of the connection that writes, and when its pages are copied into the database: of SQLite's own
/// checkpoints nobody hears how they ended.
///
/// While a snapshot is read, only the pages before it can be copied, and no fsync follows. When the disk then loses them,
/// the next fsync says so, once. The one after that succeeds, and the log, which alone still has them, is written over.
final class WriteAheadLog: Sendable {
    /// In pages. One commit of a large batch is a few megabytes; a checkpoint should be rarer than that.
    private static let limit: CInt = 8192

    /// In bytes: what SQLite cuts an emptied log to, and no log that is in use below that.
    static let sizeLimit = 67_108_864

    /// In pages, after the last commit; 0 when the database has them all.
    private let length = Atomic<CInt>(0)

    /// Takes the place of SQLite's own checkpoints. The connection does not hold on to the log.
    func follow(_ db: Database) {
        _ = unsafe sqlite3_wal_hook(
            db.sqliteConnection,
            { context, _, _, length in
                guard let context = unsafe context else { return SQLITE_OK }
                let log = unsafe Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue()
                log.length.store(length, ordering: .releasing)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    var isLong: Bool { self.length.load(ordering: .relaxed) >= Self.limit }

    /// How many pages have to be in the log.
    var expectedPages: Int { Int(self.length.load(ordering: .acquiring)) }

    /// Until the next commit.
    func expectNothing() { self.length.store(0, ordering: .releasing) }

    /// Copies as many pages as those who read allow.
    /// - Returns: whether the database has all of them.
    /// - Throws: an I/O error, after which the log is kept.
    @discardableResult static func checkpoint(_ db: Database, _ mode: Database.CheckpointMode) throws -> Bool {
        var isComplete = false
        try Self.attempt(in: db) {
            let (pages, copied) = try db.checkpoint(mode)
            isComplete = pages == copied
        }
        return isComplete
    }

    /// Writes what the store can do without.
    /// - Returns: whether it was written.
    /// - Throws: an I/O error, after which the log is kept.
    static func execute(_ sql: String, in db: Database) throws -> Bool {
        try Self.attempt(in: db) { try db.execute(sql: sql) }
    }

    @discardableResult private static func attempt(in db: Database, _ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_IOERR {
            Self.keep(in: db)
            throw error
        } catch {
            // Somebody reads, or the disk is full: the log has it all, and the next checkpoint goes on from there.
            return false
        }
    }

    /// Leaves all pages in the log when the connection ends: SQLite then makes a checkpoint of its own, which after a
    /// failed fsync says nothing, and would remove the log.
    static func keep(in db: Database) {
        var isKept: CInt = 1
        _ = unsafe sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
        // With a limit it would stay, and be emptied.
        try? db.execute(sql: "PRAGMA journal_size_limit = -1")
    }
}
