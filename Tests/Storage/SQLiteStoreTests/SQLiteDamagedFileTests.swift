import EventLog
import Foundation
import GRDB
import PerennialTestSupport
import SQLiteStore
import Synchronization
import Testing

/// Files into which others write while the store has them open: they stay where they are.
@Suite(.onOwnThreads) struct SQLiteDamagedFileTests {
    private let directory: TemporaryDirectory
    private let files = FileManager.default

    init() throws { self.directory = try TemporaryDirectory() }

    private var path: String { self.directory.path("store.db") }
    private var backup: String { self.directory.path("backup.db") }

    enum Deed: CaseIterable {
        case copiesBackupOverFile, emptiesFile, cutsFileInHalf, overwritesHeader, emptiesLog
    }

    private func `do`(_ deed: Deed) throws {
        switch deed {
        case .copiesBackupOverFile: try self.copyBackupOverFile()
        case .emptiesFile: #expect(truncate(self.path, 0) == 0)
        case .cutsFileInHalf: #expect(try truncate(self.path, off_t(self.size / 2)) == 0)
        case .overwritesHeader:
            try self.write { try $0.write(contentsOf: Data(count: 4096)) }
        case .emptiesLog: #expect(truncate(self.path + "-wal", 0) == 0)
        }
    }

    /// As `cp backup.db store.db` does it.
    private func copyBackupOverFile() throws {
        try self.write { file in
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: self.contents(of: self.backup))
        }
    }

    /// By another process as far as SQLite is concerned: the locks of this one stay, since the descriptor stays open.
    private func write(_ body: (FileHandle) throws -> Void) throws {
        let descriptor = open(self.path, O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        try body(FileHandle(fileDescriptor: descriptor, closeOnDealloc: false))
    }

    private var size: Int {
        get throws { try #require(self.files.attributesOfItem(atPath: self.path)[.size] as? Int) }
    }

    private func contents(of path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    /// As `sqlite3 store.db ".backup …"` does it: SQLite knows that the file is open, and closes nothing.
    private func backUp() throws {
        try self.asAnotherProgram { source in
            let backup = try DatabaseQueue(path: self.backup)
            try source.backup(to: backup)
            try backup.close()
        }
    }

    private func asAnotherProgram(_ body: (DatabaseQueue) throws -> Void) throws {
        let queue = try DatabaseQueue(path: self.path)
        try body(queue)
        try queue.close()
    }

    /// A store with three events, of which a backup from its earlier life has the first, and the log the last.
    private func makeStore() throws -> (SQLiteEventStore, StoreWriter) {
        let first = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(first)
        try writer.append([writer.event([1])])
        try self.backUp()
        try writer.append([writer.event([1])])
        try first.close()
        let store = try SQLiteEventStore(in: self.directory)
        var next = try StoreWriter(resuming: StoreWriter(store))
        try next.append([next.event([2])])
        return (store, next)
    }

    @Test(arguments: Deed.allCases)
    func `a store whose files were overwritten or cut confirms and reads nothing more`(_ deed: Deed) async throws {
        // given
        let (store, writer) = try self.makeStore()
        var next = writer
        try store.checkFiles()
        // when
        try self.do(deed)
        // then
        let batch = next.batch(0, [next.event([2])])
        Self.expect(.unavailable) { _ = try store.append([batch]) }
        Self.expect(.corrupt) { try store.checkFiles() }
        await #expect(throws: StoreError.self) { try await store.log() }
        await #expect(throws: StoreError.self) { try await store.ping() }
        await #expect(throws: StoreError.self) { try await store.setBookmarks(["read": [1]]) }
        Self.expect(.corrupt) { try store.checkFiles() }
        try store.close()
    }

    @Test(arguments: Deed.allCases)
    func `what was put in the place of a file is left alone, also when the store is closed`(_ deed: Deed) throws {
        // given
        let (store, _) = try self.makeStore()
        try self.do(deed)
        let after = try [self.path, self.path + "-wal"].map(self.contents)
        // when
        Self.expect(.corrupt) { try store.checkFiles() }
        try store.close()
        // then
        #expect(try [self.path, self.path + "-wal"].map(self.contents) == after)
    }

    @Test func `a backup from before the last checkpoint is noticed`() throws {
        // given
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        try writer.append([Self.hugeEvent(&writer)])
        try self.backUp()
        for _ in 0..<12 { try writer.append([Self.hugeEvent(&writer)]) }
        #expect(try self.size > 32_000_000)
        // when
        try self.copyBackupOverFile()
        // then
        Self.expect(.corrupt) { try store.checkFiles() }
        try store.close()
    }

    @Test func `a backup of what is in the log as well does no harm, and the store goes on`() async throws {
        // given
        let (store, writer) = try self.makeStore()
        var next = writer
        try self.files.removeItem(atPath: self.backup)
        try self.backUp()
        try next.append([next.event([2])])
        // when
        try self.copyBackupOverFile()
        // then
        try store.checkFiles()
        try next.append([next.event([2])])
        try store.close()
        let reopened = try SQLiteEventStore(in: self.directory)
        #expect(try await reopened.log().count == 5)
        try reopened.close()
        try self.asAnotherProgram { queue in
            let verdict = try queue.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
            #expect(verdict == ["ok"])
        }
    }

    /// What other programs do to a store at work, as it may be done.
    enum Use: CaseIterable {
        case copiesLog, emptiesLog, writes, vacuums, backsUp, touches, changesMode
    }

    private func use(_ use: Use) throws {
        switch use {
        case .copiesLog: try self.checkpointAsAnotherProgram(.passive)
        case .emptiesLog: try self.checkpointAsAnotherProgram(.truncate)
        case .writes:
            try self.asAnotherProgram { queue in
                try queue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS theirs (a)") }
            }
        case .vacuums:
            try self.asAnotherProgram { try $0.vacuum() }
            try self.checkpointAsAnotherProgram(.truncate)
        case .backsUp:
            try? self.files.removeItem(atPath: self.backup)
            try self.backUp()
        case .touches:
            let past = Date(timeIntervalSince1970: 9)
            try self.files.setAttributes([.modificationDate: past], ofItemAtPath: self.path)
        case .changesMode: try self.files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: self.path)
        }
    }

    private func checkpointAsAnotherProgram(_ mode: Database.CheckpointMode) throws {
        try self.asAnotherProgram { queue in
            try queue.writeWithoutTransaction { db in _ = try db.checkpoint(mode) }
        }
    }

    @Test(arguments: Use.allCases)
    func `what other programs may do to the file stops nothing`(_ use: Use) async throws {
        // given
        let (store, writer) = try self.makeStore()
        var next = writer
        for _ in 0..<3 {
            try next.append([next.event([2])])
            // when
            try self.use(use)
            // then
            try store.checkFiles()
            #expect(try await store.log().count == Int(next.ownership[0].head.rawValue))
        }
        try next.append([next.event([2])])
        try store.close()
        let reopened = try SQLiteEventStore(in: self.directory)
        #expect(try await reopened.log().count == 7)
        try reopened.close()
    }

    @Test func `the store's own checkpoints are no damage, whenever somebody looks`() async throws {
        // given
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        let looks = [Looks { try await store.ping() }, Looks { try store.checkFiles() }]
        // when
        for _ in 0..<40 { try writer.append([Self.hugeEvent(&writer)]) }
        // then
        for look in looks { #expect(try await look.end() > 0) }
        try store.close()
    }

    @Test func `what SQLite finds damaged is told by the next look at the files`() async throws {
        // given
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        var events = (0..<100).map { writer.event([UInt8($0)]) }
        for place in events.indices { events[place].body = [UInt8](repeating: 3, count: 2_000) }
        try writer.append(events)
        try store.close()
        var data = try self.contents(of: self.path)
        for page in (data.count / 4096 * 2 / 3)..<(data.count / 4096) {
            data.replaceSubrange(page * 4096..<page * 4096 + 64, with: Data(repeating: 0xA5, count: 64))
        }
        try data.write(to: URL(filePath: self.path))
        let damaged = try SQLiteEventStore(in: self.directory)
        try damaged.checkFiles()
        // when
        await #expect(throws: StoreError.self) {
            for shard in 0..<StoreContract.shardCount { _ = try await damaged.log(shard) }
        }
        // then
        for _ in 0..<2 { Self.expect(.corrupt) { try damaged.checkFiles() } }
        try damaged.close()
    }

    /// Nine of them are as much as the log takes before it is copied.
    private static func hugeEvent(_ writer: inout StoreWriter) -> NewEvent {
        var event = writer.event([1])
        event.body = [UInt8](repeating: 3, count: 4_000_000)
        return event
    }

    private static func expect(
        _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        #expect(sourceLocation: sourceLocation) {
            try body()
        } throws: { error in
            (error as? StoreError)?.code == code
        }
    }
}

/// Looks at something without a pause, on a thread of its own.
private final class Looks: TaskExecutor {
    private let isDone = Atomic(false)
    private let look: @Sendable () async throws -> Void
    private let task = Mutex<Task<Int, any Error>?>(nil)

    init(_ look: @escaping @Sendable () async throws -> Void) {
        self.look = look
        let task = Task(executorPreference: self) {
            var count = 0
            repeat {
                try await self.look()
                count += 1
            } while !self.isDone.load(ordering: .relaxed)
            return count
        }
        self.task.withLock { $0 = task }
    }

    /// - Returns: how often it has looked.
    func end() async throws -> Int {
        self.isDone.store(true, ordering: .relaxed)
        return try await self.task.withLock(\.self)?.value ?? 0
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
