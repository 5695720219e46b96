import EventSourcing
import Foundation

/// Keeps a database for one process: an exclusive flock on `<path>.lock`, which goes when the process does, however it
/// ends. The file itself stays, since removing it would race with the next holder; it holds the holder's pid.
struct FileLock: ~Copyable {
    private let descriptor: Int32

    init(guarding path: String) throws(StoreError) {
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path + ".lock"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw StoreError(.unavailable, "cannot open \(path): \(reason)")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            let holder = (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .newlines)
            throw StoreError(.unavailable, "the store is in use by process \(holder ?? "unknown") (\(path))")
        }
        let pid = Array("\(ProcessInfo.processInfo.processIdentifier)\n".utf8)
        // The pid is there for people; the lock holds without it.
        _ = ftruncate(descriptor, 0)
        _ = unsafe pwrite(descriptor, pid, pid.count, 0)
        self.descriptor = descriptor
    }

    deinit {
        // A program that is just being started shares the descriptor until its exec, and the lock with it.
        flock(self.descriptor, LOCK_UN)
        close(self.descriptor)
    }
}
