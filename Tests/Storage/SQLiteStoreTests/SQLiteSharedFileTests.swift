import EventLog
import Foundation
import PerennialTestSupport
import SQLiteStore
import Testing

/// One file by several paths, for which there would be several logs.
@Suite(.onOwnThreads) struct SQLiteSharedFileTests {
    private let directory: TemporaryDirectory

    init() throws { self.directory = try TemporaryDirectory() }

    private var path: String { self.directory.path("store.db") }

    private func open(_ path: String) throws -> SQLiteEventStore {
        var configuration = SQLiteConfiguration(path: path)
        configuration.shardCount = StoreContract.shardCount
        return try SQLiteEventStore(configuration: configuration)
    }

    private func expectRefusal(
        _ code: StoreError.Code, _ text: String, of path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(sourceLocation: sourceLocation) {
            try self.open(path)
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == code && error.message.contains(text) && !error.message.contains("\n")
        }
    }

    @Test("a file with more than one name is refused by each of them")
    func refusesHardLinks() throws {
        // given
        try self.open(self.path).close()
        let other = self.directory.path("other.db")
        try FileManager.default.linkItem(atPath: self.path, toPath: other)
        // then
        for path in [self.path, other] { self.expectRefusal(.incompatible, "has 2 names (hard links)", of: path) }
        // when
        try FileManager.default.removeItem(atPath: other)
        // then
        try self.open(self.path).close()
    }

    @Test("a process that has the file by another path keeps it, as through a mount of the single file")
    func refusesOtherProcesses() throws {
        // given: nothing but the lock on the file itself says so
        try self.open(self.path).close()
        let descriptor = Foundation.open(self.path, O_RDWR | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        // then
        self.expectRefusal(.unavailable, "in use by another process, which reaches it by another path", of: self.path)
        // when
        close(descriptor)
        // then
        try self.open(self.path).close()
    }

    @Test("an open store is locked against whoever locks the file")
    func locksTheFile() throws {
        let store = try self.open(self.path)
        #expect(try Self.locks(of: self.path, kind: "FLOCK").count == 1)
        try store.close()
        #expect(try Self.locks(of: self.path, kind: "FLOCK").isEmpty)
    }

    @Test("a second store of one process is refused by whichever path, and SQLite's locks on the first one stay")
    func keepsTheLocksOfSQLite() throws {
        // given
        let store = try self.open(self.path)
        let locks = try Self.locks(of: self.path, kind: "POSIX")
        #expect(!locks.isEmpty)
        let descriptor = try #require(
            FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map { "/proc/self/fd/\($0)" }.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: $0)) == self.path
            })
        // when
        for path in [self.path, descriptor] { self.expectRefusal(.unavailable, "in use by process", of: path) }
        let other = self.directory.path("other.db")
        try FileManager.default.linkItem(atPath: self.path, toPath: other)
        self.expectRefusal(.incompatible, "hard links", of: other)
        // then
        #expect(try Self.locks(of: self.path, kind: "POSIX") == locks)
        try store.close()
    }

    @Test func `a name that is added while the store is open is told of`() throws {
        // given
        let store = try self.open(self.path)
        #expect(try store.checkFiles() == nil)
        let other = self.directory.path("other.db")
        // when
        try FileManager.default.linkItem(atPath: self.path, toPath: other)
        // then
        #expect(try store.checkFiles()?.contains("has 2 names (hard links)") == true)
        // when
        try FileManager.default.removeItem(atPath: other)
        // then
        #expect(try store.checkFiles() == nil)
        try store.close()
    }

    @Test(arguments: [
        ("/data/store.db", true), ("/data/a b.db", true), ("/data", true), ("/data/other.db", false),
        ("/store.db", false),
    ])
    func `a mount of a single file is told by the kernel's list`(_ path: String, _ isMount: Bool) {
        let mounts = """
            22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
            23 22 0:21 / /data rw shared:2 - tmpfs tmpfs rw
            24 23 254:0 /srv/store.db /data/store.db rw,relatime shared:1 - ext4 /dev/vda rw
            25 23 254:0 /srv/b.db /data/a\\040b.db rw,relatime shared:1 - ext4 /dev/vda rw
            """
        #expect(MountedFile.isMount(path, in: mounts) == isMount)
    }

    /// What the kernel says of the locks that this process has on a file. `/proc/locks` has those of the whole machine, and leaves some out
    /// where others come and go while it is read.
    private static func locks(of path: String, kind: String) throws -> [Substring] {
        let files = FileManager.default
        let descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        let lines = try descriptors.flatMap { descriptor in
            try String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8).split(separator: "\n")
        }
        let locks = lines.filter { $0.hasPrefix("lock:") && $0.split(separator: " ").contains(Substring(kind)) }
        // Without its number. Each descriptor of the file has those that are the process's.
        return Set(locks.map { $0.drop { $0 != " " } }).sorted()
    }
}
