import EventSourcing
import Foundation
import Synchronization

/// Keeps a database for one process, by exclusive flocks, which go when the process does, however it ends: one on the file
/// itself, by whichever name it is reached, and one on `<path>.lock`, which holds the holder's pid and keeps out earlier
/// versions. That file stays, since removing it would race with the next holder.
///
/// The lock is made before SQLite opens the file, and let go of after SQLite has closed it. Nothing else in the process may
/// open the file and close it again: the system then drops all locks that fcntl has given the process on it, and those are
/// SQLite's own. So a second store of this process is refused before anything is opened for it.
struct FileLock: ~Copyable {
    private struct Descriptors {
        let identity: FileStatus.Identity
        let database: Int32
        let note: Int32
    }

    private let descriptors: Descriptors

    /// What this process has locked.
    private static let held = Mutex<Set<FileStatus.Identity>>([])

    /// - Parameter makesFile: whether to make the file where there is none: for its owner alone, and the files beside it
    ///   take its mode.
    init(guarding path: String, makesFile: Bool) throws(StoreError) {
        self.descriptors = try Self.held.withLock { held throws(StoreError) in
            let descriptors = try Self.acquire(path, makesFile: makesFile, held)
            held.insert(descriptors.identity)
            return descriptors
        }
    }

    /// Of the database.
    var identity: FileStatus.Identity { self.descriptors.identity }

    private static func acquire(
        _ path: String, makesFile: Bool, _ held: Set<FileStatus.Identity>
    ) throws(StoreError) -> Descriptors {
        let present = try FileStatus(of: path)
        if let present {
            try Self.check(present, at: path)
            guard !held.contains(present.identity) else {
                throw Self.inUse(by: "\(ProcessInfo.processInfo.processIdentifier)", path)
            }
        } else if !makesFile {
            throw StoreError(.unavailable, "cannot open \(path): there is no such file")
        }
        // First of all: what may not be written is refused before there is anything beside it.
        let database = unsafe open(path, O_RDWR | O_CLOEXEC | (makesFile ? O_CREAT : 0), 0o600)
        guard database >= 0 else { throw StoreError(systemRefuses: path) }
        do throws(StoreError) {
            let opened = try FileStatus(of: database, at: path)
            try Self.check(opened, at: path)
            let note = try Self.lockNote(of: path, owner: opened.owner)
            guard flock(database, LOCK_EX | LOCK_NB) == 0 else {
                close(note)
                throw StoreError(
                    .unavailable, "the store is in use by another process, which reaches it by another path (\(path))")
            }
            return Descriptors(identity: opened.identity, database: database, note: note)
        } catch {
            close(database)
            throw error
        }
    }

    private static func check(_ status: FileStatus, at path: String) throws(StoreError) {
        guard status.isRegular else { throw StoreError(.unavailable, "cannot open \(path): it is not a file") }
        guard status.links < 2 else {
            throw StoreError(
                .incompatible,
                "\(path) has \(status.links) names (hard links), and may have one: SQLite keeps a log beside each, and two "
                    + "logs destroy a database; remove the others, which `find DIRECTORY -samefile \(path)` lists")
        }
    }

    /// - Returns: the descriptor of the note.
    private static func lockNote(of path: String, owner: FileStatus.Owner) throws(StoreError) -> Int32 {
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path + ".lock"
        let note = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard note >= 0 else { throw StoreError(systemRefuses: path) }
        guard flock(note, LOCK_EX | LOCK_NB) == 0 else {
            close(note)
            let holder = (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .newlines)
            throw Self.inUse(by: holder ?? "unknown", path)
        }
        // Of a run as root, so that the database's owner can be next. Nobody else may give a file away.
        _ = fchown(note, owner.user, owner.group)
        let pid = Array("\(ProcessInfo.processInfo.processIdentifier)\n".utf8)
        // The pid is there for people; the lock holds without it.
        _ = ftruncate(note, 0)
        _ = unsafe pwrite(note, pid, pid.count, 0)
        return note
    }

    private static func inUse(by process: String, _ path: String) -> StoreError {
        StoreError(.unavailable, "the store is in use by process \(process) (\(path))")
    }

    deinit {
        let descriptors = self.descriptors
        Self.held.withLock { held in
            held.remove(descriptors.identity)
            // A program that is just being started shares the descriptors until its exec, and the locks with them.
            for descriptor in [descriptors.database, descriptors.note] {
                flock(descriptor, LOCK_UN)
                close(descriptor)
            }
        }
    }
}
