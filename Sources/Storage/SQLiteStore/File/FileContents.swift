import EventLog
import Foundation
import GRDB
import Synchronization

/// Whether the database and its log hold what SQLite has put there. Whoever may write to the files can put something else
/// there while the store has them open: `cp backup.db store.db` writes into the very file.
///
/// A database with a write-ahead log changes only where a checkpoint copies pages into it, so its size and time are noted
/// after each. What differs from that later has been written by somebody else. That may be SQLite in another process, which
/// makes checkpoints too and does no harm, or `touch`; a mark in the header tells. It is a new random number whenever all of
/// the log has been copied, so what was copied from the database before that has another one. What was copied since has the
/// same, and does no harm either: the log still holds every page that differs.
final class FileContents: Sendable {
    private struct Noted {
        var extent: FileStatus.Extent
        /// The header has one of them: the last, unless that is still in the log alone.
        var marks: [Int32]
        /// Whether one of them is of this opening.
        var isMarked = false
        var isCopying = false
        var damage: Damage?
    }

    enum Damage {
        case overwritten, cut, logCut
    }

    private let path: String
    private let identity: FileStatus.Identity
    /// That of the lock: it stays open for as long as there are connections.
    private let descriptor: Int32
    private let logPath: String
    private let logIdentity: FileStatus.Identity
    private let log: WriteAheadLog
    private let pageSize: Int
    private let noted: Mutex<Noted>

    init(
        of lock: borrowing FileLock, at path: String, log: WriteAheadLog, at logPath: String,
        _ logIdentity: FileStatus.Identity
    ) throws(StoreError) {
        self.path = path
        self.identity = lock.identity
        self.descriptor = lock.descriptor
        self.logPath = logPath
        self.logIdentity = logIdentity
        self.log = log
        let status = try FileStatus(of: lock.descriptor, at: path)
        guard let header = FileHeader(of: lock.descriptor) else {
            throw StoreError(.corrupt, "\(path) is no database: it was overwritten while it was being opened")
        }
        self.pageSize = header.pageSize
        self.noted = Mutex(Noted(extent: status.extent, marks: [header.mark]))
    }

    /// What has happened to the files. Once damaged they stay so: what SQLite has read meanwhile may be in its memory.
    var damage: Damage? { self.noted.withLock(\.damage) }

    /// In bytes, how long the log's file is at least. To be asked for before it is looked at.
    var expectedLogSize: Int {
        let pages = self.log.expectedPages
        // A header, and one before each page: <https://sqlite.org/fileformat.html>, 4.1.
        return pages == 0 ? 0 : min(32 + pages * (24 + self.pageSize), WriteAheadLog.sizeLimit)
    }

    /// - Parameters:
    ///   - database: of the file.
    ///   - logSize: of its log, after `expectedLogSize` was asked for.
    /// - Returns: what has happened to them.
    func check(_ database: FileStatus.Extent, logSize: Int, expectedLogSize: Int) -> Damage? {
        self.noted.withLock { noted in
            // What was looked at may be from before a checkpoint, and is looked at again while none can begin.
            guard noted.extent != database || logSize < expectedLogSize else { return noted.damage }
            if !noted.isCopying { self.look(&noted) }
            return noted.damage
        }
    }

    /// Copies as much of the log as those who read allow, and renews the mark where that was all of it.
    /// - Throws: an I/O error, after which the log is kept.
    func checkpoint(_ db: Database, _ mode: Database.CheckpointMode) throws {
        guard self.beginCopying() else { return }
        defer { self.endCopying() }
        let isMuch = self.log.isLong
        guard try self.copyAll(db, mode), isMuch || !self.noted.withLock(\.isMarked) else { return }
        let mark = Int32.random(in: 1...(.max))
        self.noted.withLock { $0.marks.append(mark) }
        guard try WriteAheadLog.execute("PRAGMA user_version = \(mark)", in: db) else {
            self.noted.withLock { _ = $0.marks.removeLast() }
            return
        }
        self.noted.withLock { $0.isMarked = true }
        _ = try self.copyAll(db, mode)
    }

    /// Copies all of the log and cuts its file, where nobody reads; and writes nothing into it, since another database may
    /// stand beside it by now.
    /// - Throws: an I/O error, after which the log is kept.
    func emptyLog(_ db: Database) throws {
        guard self.beginCopying() else { return }
        defer { self.endCopying() }
        _ = try self.copyAll(db, .truncate)
    }

    /// Whether the file lacks the newest mark, and a checkpoint is to bring it there.
    var isUnsettled: Bool { self.noted.withLock { !$0.isMarked || $0.marks.count > 1 } }

    /// - Returns: whether all of the log is in the file, and with it the newest mark.
    private func copyAll(_ db: Database, _ mode: Database.CheckpointMode) throws -> Bool {
        // Before the file is cut.
        if mode == .truncate { self.log.expectNothing() }
        guard try WriteAheadLog.checkpoint(db, mode) else { return false }
        self.log.expectNothing()
        self.noted.withLock { noted in
            if let mark = noted.marks.last, FileHeader(of: self.descriptor)?.mark == mark { noted.marks = [mark] }
        }
        return true
    }

    /// - Returns: false when nothing may be copied into what is there now, nor out of it.
    private func beginCopying() -> Bool {
        self.noted.withLock { noted in
            self.look(&noted)
            noted.isCopying = noted.damage == nil
            return noted.isCopying
        }
    }

    private func endCopying() {
        self.noted.withLock { noted in
            self.lookAtDatabase(&noted)
            noted.isCopying = false
        }
    }

    private func look(_ noted: inout Noted) {
        let before = noted.extent
        self.lookAtDatabase(&noted)
        guard noted.damage == nil, noted.extent == before else { return }
        let expected = self.expectedLogSize
        guard let log = try? FileStatus(of: self.logPath), log.identity == self.logIdentity else { return }
        if log.extent.size < expected { noted.damage = .logCut }
    }

    /// Takes what SQLite has written, whoever asked it to.
    private func lookAtDatabase(_ noted: inout Noted) {
        guard noted.damage == nil, let status = try? FileStatus(of: self.descriptor, at: self.path),
            status.identity == self.identity, status.extent != noted.extent
        else { return }
        let header = FileHeader(of: self.descriptor)
        let size = min(noted.extent.size, header?.size ?? .max)
        if status.extent.size < size {
            noted.damage = .cut
        } else if let header, !noted.marks.contains(header.mark) {
            noted.damage = .overwritten
        } else {
            noted.extent = status.extent
            // SQLite in another process has copied the log, and may be about to empty it.
            if !noted.isCopying { self.log.expectNothing() }
        }
    }
}
