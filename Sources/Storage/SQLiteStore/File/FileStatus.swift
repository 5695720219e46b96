import EventLog
import Foundation

/// What the system says of a file without opening it.
struct FileStatus {
    /// Which file it is, whatever its names are.
    struct Identity: Hashable, Sendable {
        fileprivate var device: UInt64
        fileprivate var inode: UInt64
    }

    struct Owner {
        var user: UInt32
        var group: UInt32
    }

    /// What changes with each write.
    struct Extent: Equatable, Sendable {
        /// In bytes.
        var size: Int
        fileprivate var seconds: Int
        fileprivate var nanoseconds: Int
    }

    let identity: Identity
    /// How many names it has.
    let links: Int
    let isRegular: Bool
    let owner: Owner
    let extent: Extent

    private init(_ status: stat) {
        self.identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        self.links = Int(status.st_nlink)
        self.isRegular = status.st_mode & S_IFMT == S_IFREG
        self.owner = Owner(user: status.st_uid, group: status.st_gid)
        #if os(Linux)
        let modified = status.st_mtim
        #else
        let modified = status.st_mtimespec
        #endif
        self.extent = Extent(size: Int(status.st_size), seconds: modified.tv_sec, nanoseconds: modified.tv_nsec)
    }

    /// Of the file that a path leads to, through symbolic links; nil when there is none.
    init?(of path: String) throws(StoreError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if [ENOENT, ENOTDIR].contains(errno) { return nil }
            throw StoreError(systemRefuses: path)
        }
        self.init(status)
    }

    init(of descriptor: Int32, at path: String) throws(StoreError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw StoreError(systemRefuses: path) }
        self.init(status)
    }
}

extension StoreError {
    /// By what `errno` says.
    init(systemRefuses path: String, file: String = #fileID, line: Int = #line) {
        let reason = unsafe String(cString: strerror(errno))
        self.init(.unavailable, "cannot open \(path): \(reason)", file: file, line: line)
    }
}
