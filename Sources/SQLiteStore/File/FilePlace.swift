import EventSourcing
import Foundation

/// Where a store's files have to be for the next start to find what was acknowledged: a file that was removed or replaced
/// can still be read and written by those who have it open, and is gone when they end.
struct FilePlace: Sendable {
    private let path: String
    private let logPath: String
    private let database: FileStatus.Identity
    private let log: FileStatus.Identity

    /// - Parameter database: what is open. SQLite keeps the log beside it for as long as there is a connection.
    init(path: String, database: FileStatus.Identity) throws(StoreError) {
        self.path = path
        self.logPath = URL(fileURLWithPath: path).resolvingSymlinksInPath().path + "-wal"
        self.database = database
        guard let log = try FileStatus(of: self.logPath) else { throw Self.loss(of: self.logPath) }
        self.log = log.identity
    }

    /// Opens nothing: two looks at directories.
    func check() throws(StoreError) {
        try Self.check(self.path, is: self.database)
        try Self.check(self.logPath, is: self.log)
    }

    static func check(_ path: String, is file: FileStatus.Identity) throws(StoreError) {
        guard try FileStatus(of: path)?.identity == file else { throw Self.loss(of: path) }
    }

    private static func loss(of path: String) -> StoreError {
        let name = URL(fileURLWithPath: path).lastPathComponent
        return StoreError(
            .unavailable,
            "\(name) was removed or replaced while the store had it open; put it back, or stop the node and restore it")
    }
}
