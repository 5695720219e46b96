import EventLog
import GRDB
import PerennialTestSupport
import SQLiteStore
import Subscriptions
import Testing

/// Look-ups as versions before keyed hashes wrote them.
@Suite struct ClearLookupTests {
    @Test func `an identifier leads to what was stored of it in either form, once`() async throws {
        let directory = try TemporaryDirectory()
        var configuration = SQLiteConfiguration(path: directory.path("store.db"))
        configuration.shardCount = 16
        var store = try SQLiteEventStore(configuration: configuration)
        var writer = try StoreWriter(store)
        var batch = writer.batch(0, [writer.event([1]), writer.event([2])])
        batch.lookups = [Lookup(kind: .customer, value: "c", key: [1])]
        _ = try writer.append([batch])
        try store.close()
        // given: both streams, as an earlier version would have written them
        let file = try DatabaseQueue(path: directory.path("store.db"))
        try await file.write { db in
            try db.execute(sql: "INSERT INTO lookup (kind, value, stream_id) SELECT 1, 'C', id FROM stream")
        }
        try file.close()
        store = try SQLiteEventStore(configuration: configuration)
        // when
        let hash = IdentifierKey.sample.hash(.customer, "c")
        let sought = [["c"], ["c", "C"], []].map { SoughtIdentifier(kind: .customer, hash: hash, spellings: $0) }
        // then
        #expect(try await store.streams(for: sought) == [[[1]], [[1], [2]], [[1]]])
        #expect(try await store.streams(for: []) == [])
        try store.close()
    }
}
