import EventLog
import Foundation
import PerennialTestSupport
import SQLiteStore
import Testing

/// Files without a byte, which SQLite takes for new databases.
@Suite(.onOwnThreads) struct SQLiteEmptyFileTests {
    private let directory: TemporaryDirectory
    private let files = FileManager.default

    init() throws { self.directory = try TemporaryDirectory() }

    private var path: String { self.directory.path("store.db") }

    private func expectRefusal(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(sourceLocation: sourceLocation) {
            try SQLiteEventStore(in: self.directory)
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .corrupt && error.message.contains("has 0 bytes, but was a store")
        }
    }

    @Test func `a store that was emptied is refused until it is removed`() throws {
        // given
        try SQLiteEventStore(in: self.directory).close()
        #expect(truncate(self.path, 0) == 0)
        // then
        for _ in 0..<2 { self.expectRefusal() }
        // when
        try self.files.removeItem(atPath: self.path)
        // then
        let made = try SQLiteEventStore(in: self.directory)
        #expect(made.isNew)
        try made.close()
    }

    @Test func `a file that is empty beside a log is refused, and the log is kept`() throws {
        // given: as a version leaves it that notes nothing
        #expect(self.files.createFile(atPath: self.path, contents: nil))
        #expect(self.files.createFile(atPath: self.path + "-wal", contents: Data(count: 32)))
        // then
        self.expectRefusal()
        #expect(self.files.contents(atPath: self.path + "-wal")?.count == 32)
    }

    @Test func `a first start that was killed before it wrote is begun anew`() throws {
        // given: also where a store was before, and was removed
        try SQLiteEventStore(in: self.directory).close()
        try self.files.removeItem(atPath: self.path)
        let lock = try FileHandle(forWritingTo: URL(filePath: self.path + ".lock"))
        try lock.truncate(atOffset: 0)
        try lock.write(contentsOf: Data("1\n".utf8))
        try lock.close()
        #expect(self.files.createFile(atPath: self.path, contents: nil))
        // when
        let made = try SQLiteEventStore(in: self.directory)
        // then
        #expect(made.isNew)
        try made.close()
    }
}
