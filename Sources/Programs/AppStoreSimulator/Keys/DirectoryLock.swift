import Foundation

/// Keeps a keys directory for one simulation: an exclusive flock, which goes when the process does, however it ends.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `SimulatorError` when another simulation runs in the directory.
    init(_ directory: KeysDirectory) throws(SimulatorError) {
        let path = directory.file("simulation.lock")
        self.descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard self.descriptor >= 0 else {
            throw .keysUnusable(directory.path, POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
        }
        guard flock(self.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(self.descriptor)
            throw .inUse(directory.path)
        }
    }

    deinit { close(self.descriptor) }
}
