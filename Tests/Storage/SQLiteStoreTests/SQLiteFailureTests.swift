import EventLog
import Foundation
import GRDB
import PerennialTestSupport
import SQLiteStore
import Testing

/// Disks that are full or broken while the store is at work.
@Suite(.onOwnThreads) struct SQLiteFailureTests {
    private let directory: TemporaryDirectory

    init() throws { self.directory = try TemporaryDirectory() }

    @Test func aFullFileStoresNothingAndGoesOnWhenThereIsSpace() async throws {
        let store = try SQLiteEventStore(in: self.directory, maximumBytes: 2_000_000)
        try await store.quarantine(
            QuarantinedPayload(
                digest: [1], reason: "r", detail: "d", receivedAt: 1, raw: [UInt8](repeating: 1, count: 500_000)))
        var writer = try StoreWriter(store)
        var refused: ShardBatch?
        while refused == nil {
            let batch = writer.batch(0, [self.largeEvent(&writer), self.largeEvent(&writer)])
            do {
                _ = try writer.append([batch])
            } catch let error as StoreError {
                #expect(error.code == .full)
                refused = batch
            }
        }
        let batch = try #require(refused)
        #expect(try await store.log().count == Int(batch.head.rawValue))
        #expect(try await store.heads()[0].sequence == batch.head)

        try await store.removeQuarantined(1)

        #expect(try store.append([batch]) == [.appended(head: LogSequence(rawValue: batch.head.rawValue + 2))])
        try store.close()
    }

    private func largeEvent(_ writer: inout StoreWriter) -> NewEvent {
        var event = writer.event([1])
        event.body = [UInt8](repeating: 3, count: 20_000)
        return event
    }

    @Test func aDiskThatIsFullAtTheCommitStoresNothingAndTheStoreGoesOn() async throws {
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        let batch = writer.batch(0, [writer.event([1])])

        let disk = try FileFault(self.directory.path("store.db-wal"), replacement: "/dev/full")
        Self.expect(.full) { try store.append([batch]) }
        disk.repair()

        #expect(try await store.log().count == 1)
        #expect(try store.append([batch]) == [.appended(head: LogSequence(rawValue: 2))])
        try store.close()
        let reopened = try SQLiteEventStore(in: self.directory)
        #expect(try await reopened.log().count == 2)
        try reopened.close()
    }

    @Test func aDiskThatFailsAtTheCommitLeavesItUnknownAndTheStoreTakesNothingMore() async throws {
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        let batch = writer.batch(0, [writer.event([1])])

        // A descriptor that cannot be written to gives an I/O error, as a broken disk does.
        let disk = try FileFault(self.directory.path("store.db-wal"), replacement: "/dev/zero")
        Self.expect(.outcomeUnknown) { try store.append([batch]) }
        disk.repair()

        Self.expect(.outcomeUnknown) { try store.append([batch]) }
        #expect(try await store.log().count == 1)
        try store.close()
        let reopened = try SQLiteEventStore(in: self.directory)
        var next = try StoreWriter(resuming: StoreWriter(reopened))
        #expect(try await reopened.log().count == 1)
        try next.append([next.event([2])])
        try reopened.close()
    }

    @Test func theLogIsCopiedIntoTheDatabaseFromTimeToTime() throws {
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        for _ in 0..<9 { try writer.append([Self.hugeEvent(&writer)]) }
        #expect(try self.size("store.db") > 32_000_000)
        for _ in 0..<9 { try writer.append([Self.hugeEvent(&writer)]) }
        #expect(try self.size("store.db-wal") < 48_000_000)
        try store.close()
    }

    /// What was copied while somebody read is lost by the disk, which says so at the next fsync, and not again.
    @Test func aDiskThatFailsWhileTheLogIsCopiedLosesNothingAndTheStoreTakesNothingMore() async throws {
        // given a log of which a part was copied in vain
        let store = try SQLiteEventStore(in: self.directory)
        var writer = try StoreWriter(store)
        for _ in 0..<5 { try writer.append([Self.hugeEvent(&writer)]) }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: self.directory.path("store.db"), configuration: configuration)
        try await reader.writeWithoutTransaction { db in
            try db.beginTransaction(.deferred)
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM event")
        }
        let path = self.directory.path("store.db")
        // It takes what is written and keeps nothing, and the end of a checkpoint fails on it.
        let first = try FileFault(path, replacement: "/dev/null")
        for _ in 0..<4 { try writer.append([Self.hugeEvent(&writer)]) }
        first.repair()
        try await reader.writeWithoutTransaction { db in try db.rollback() }
        try reader.close()

        // when the rest is copied
        let second = try FileFault(path, replacement: "/dev/null")
        let outcomes = try writer.append([Self.hugeEvent(&writer)])
        second.repair()

        // then
        #expect(outcomes == [.appended(head: LogSequence(rawValue: 10))])
        let batch = writer.batch(0, [writer.event([1])])
        Self.expect(.outcomeUnknown) { try store.append([batch]) }
        try store.close()
        #expect(try self.size("store.db-wal") > 32_000_000)
        let reopened = try SQLiteEventStore(in: self.directory)
        #expect(try await reopened.log().map(\.body.count) == Array(repeating: 4_000_000, count: 10))
        var next = try StoreWriter(resuming: StoreWriter(reopened))
        try next.append([next.event([2])])
        try reopened.close()
    }

    /// Nine of them are as much as the log takes before it is copied.
    private static func hugeEvent(_ writer: inout StoreWriter) -> NewEvent {
        var event = writer.event([1])
        event.body = [UInt8](repeating: 3, count: 4_000_000)
        return event
    }

    private func size(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: self.directory.path(name))
        return try #require(attributes[.size] as? Int)
    }

    @Test func aCallerThatIsCancelledDoesNotUndoAWrite() async throws {
        let store = try SQLiteEventStore(in: self.directory)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.quarantine(
                QuarantinedPayload(digest: [1], reason: "r", detail: "d", receivedAt: 1, raw: [1]))
        }
        try await cancelled.value
        #expect(try await store.quarantineDepth() == 1)
        try store.close()
    }

    private static func expect(
        _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> [AppendOutcome]
    ) {
        #expect(sourceLocation: sourceLocation) {
            try body()
        } throws: { error in
            (error as? StoreError)?.code == code
        }
    }
}

/// Puts another file under every descriptor that this process has of a file, until it is repaired.
private struct FileFault {
    private let saved: [(descriptor: Int32, original: Int32)]

    init(_ path: String, replacement: String) throws {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
        try #require(!descriptors.isEmpty)
        let fault = open(replacement, replacement == "/dev/zero" ? O_RDONLY : O_WRONLY)
        try #require(fault >= 0)
        self.saved = descriptors.map { ($0, dup($0)) }
        for descriptor in descriptors { _ = dup2(fault, descriptor) }
        close(fault)
    }

    func repair() {
        for (descriptor, original) in self.saved {
            _ = dup2(original, descriptor)
            close(original)
        }
    }
}
