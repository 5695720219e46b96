import EventLog
import Foundation
import PerennialTestSupport
import SQLiteStore
import Testing

@Suite(.onOwnThreads) struct SQLiteSizeTests {
    /// The whole file, indexes and all, over notifications of three signed parts: the goal is 2,500 bytes, ours 2,000.
    @Test func aNotificationTakesAtMostTwoThousandBytes() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        let store = try SQLiteEventStore(configuration: SQLiteConfiguration(path: path))
        var load = NotificationLoad(try StoreWriter(store))
        let raw = try (0..<90).reduce(0) { raw, _ in try raw + load.append(64) }
        try store.close()

        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)

        #expect(load.notifications >= 5000)
        #expect(raw / load.notifications > 11_700)
        #expect(size / load.notifications <= 2000, "\(size / load.notifications) bytes")
    }
}
