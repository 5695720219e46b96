import EventLog
import Foundation
import Synchronization

/// Keeps a database for one process, by exclusive flocks, which go when the process does, however it ends: one on the file
/// itself, by whichever name it is reached, and one on `<path>.lock`, which keeps out earlier versions. That file stays, since
/// removing it would race with the next holder.
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
    /// Of the database, for looking at it. Not to be closed.
    var descriptor: Int32 { self.descriptors.database }

    /// Remembers that the file is a store, and so not to be found empty.
    func noteStore() { LockNote.write(isStore: true, to: self.descriptors.note) }

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
            try MountedFile.refuse(path)
            let (note, wasStore) = try Self.lockNote(of: path, owner: opened.owner, isNew: present == nil)
            do throws(StoreError) {
                guard flock(database, LOCK_EX | LOCK_NB) == 0 else {
                    throw StoreError(
                        .unavailable,
                        "the store is in use by another process, which reaches it by another path (\(path))")
                }
                if present != nil, opened.extent.size == 0 { try Self.checkEmpty(path, wasStore: wasStore) }
            } catch {
                close(note)
                throw error
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

    /// A start that is killed before SQLite has written leaves a file without a byte, and the next one goes on from there.
    /// SQLite would make a new store of any such file, and remove the log beside it.
    private static func checkEmpty(_ path: String, wasStore: Bool) throws(StoreError) {
        let log = try FileStatus(of: URL(fileURLWithPath: path).resolvingSymlinksInPath().path + "-wal")
        guard wasStore || log?.extent.size ?? 0 > 0 else { return }
        throw StoreError(
            .corrupt, "\(path) has 0 bytes, but was a store: restore a backup, or remove it to begin a new store")
    }

    /// - Parameter isNew: whether the database has just been made.
    /// - Returns: the descriptor of the note, and whether it says that the database was a store.
    private static func lockNote(
        of path: String, owner: FileStatus.Owner, isNew: Bool
    ) throws(StoreError) -> (descriptor: Int32, wasStore: Bool) {
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path + ".lock"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(systemRefuses: path) }
        let note = LockNote(descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw Self.inUse(by: note.holder ?? "unknown", path)
        }
        // Of a run as root, so that the database's owner can be next. Nobody else may give a file away.
        _ = fchown(descriptor, owner.user, owner.group)
        let wasStore = note.isStore && !isNew
        LockNote.write(isStore: wasStore, to: descriptor)
        return (descriptor, wasStore)
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
