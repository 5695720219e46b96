import EventLog
import Foundation

/// Where a store's files have to be, and what they have to be, for the next start to find what was acknowledged: a file that
/// was removed or replaced can still be read and written by those who have it open, and is gone when they end.
struct FilePlace: Sendable {
    let contents: FileContents
    private let path: String
    private let logPath: String
    private let database: FileStatus.Identity
    private let log: FileStatus.Identity

    /// - Parameter lock: of what is open. SQLite keeps the log beside it for as long as there is a connection.
    init(path: String, _ lock: borrowing FileLock, _ log: WriteAheadLog) throws(StoreError) {
        self.path = path
        self.logPath = URL(fileURLWithPath: path).resolvingSymlinksInPath().path + "-wal"
        self.database = lock.identity
        guard let status = try FileStatus(of: self.logPath) else { throw Self.loss(of: self.logPath) }
        self.log = status.identity
        self.contents = try FileContents(of: lock, at: path, log: log, at: self.logPath, status.identity)
    }

    /// Opens nothing: two looks at directories.
    func check() throws(StoreError) {
        let expectedLogSize = self.contents.expectedLogSize
        let database = try Self.status(of: self.path, which: self.database)
        let log = try Self.status(of: self.logPath, which: self.log)
        let damage = self.contents.check(
            database.extent, logSize: log.extent.size, expectedLogSize: expectedLogSize)
        if let damage { throw StoreError(.unavailable, self.sentence(on: damage)) }
    }

    static func check(_ path: String, is file: FileStatus.Identity) throws(StoreError) {
        _ = try Self.status(of: path, which: file)
    }

    private static func status(of path: String, which file: FileStatus.Identity) throws(StoreError) -> FileStatus {
        guard let status = try FileStatus(of: path), status.identity == file else { throw Self.loss(of: path) }
        return status
    }

    // MARK: Sentences

    private static func loss(of path: String) -> StoreError {
        let name = URL(fileURLWithPath: path).lastPathComponent
        return StoreError(
            .unavailable,
            "\(name) was removed or replaced while the store had it open; put it back, or stop the node and restore it")
    }

    /// What has happened to the files that none of them can be used after; nil when nothing has.
    var damage: String? { self.contents.damage.map(self.sentence) }

    private func sentence(on damage: FileContents.Damage) -> String {
        let name = URL(fileURLWithPath: self.path).lastPathComponent
        return switch damage {
        case .overwritten:
            "\(name) was overwritten while the store had it open; stop the node, remove \(name)-wal, and restore a backup"
        case .cut:
            "\(name) was cut short while the store had it open; stop the node, remove \(name)-wal, and restore a backup"
        case .logCut:
            "\(name)-wal was cut short while the store had it open, and what was stored last is lost; "
                + "stop the node, and restore a backup, or start again without that"
        }
    }

    /// What endangers the files, while all goes on; nil when nothing does.
    func danger() -> String? {
        guard let links = try? FileStatus(of: self.path)?.links, links > 1 else { return nil }
        let name = URL(fileURLWithPath: self.path).lastPathComponent
        return "\(name) has \(links) names (hard links), and the next start refuses it: remove the others, which "
            + "`find DIRECTORY -samefile \(self.path)` lists"
    }
}
