import EventLog
import Foundation
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

    @Test func `a look-up in clear text gets a hash, or goes`() async throws {
        let directory = try TemporaryDirectory()
        var configuration = SQLiteConfiguration(path: directory.path("store.db"))
        configuration.shardCount = 16
        var store = try SQLiteEventStore(configuration: configuration)
        var writer = try StoreWriter(store)
        _ = try writer.append([writer.batch(0, [writer.event([1]), writer.event([2])])])
        try store.close()
        let file = try DatabaseQueue(path: directory.path("store.db"))
        // Which of two streams of one batch is stored first is not said.
        let last = try await file.write { db in
            for text in ["a", "b", "c"] {
                try db.execute(
                    sql: "INSERT INTO lookup (kind, value, stream_id) SELECT 1, ?, id FROM stream", arguments: [text])
            }
            return try Data.fetchOne(db, sql: "SELECT key FROM stream ORDER BY id DESC")
        }
        try file.close()
        store = try SQLiteEventStore(configuration: configuration)
        func found(_ text: String, _ spellings: [String]) async throws -> [[UInt8]] {
            let hash = IdentifierKey.sample.hash(.customer, text)
            return try await store.streams(
                for: [SoughtIdentifier(kind: .customer, hash: hash, spellings: spellings)])[0]
        }
        // when
        let page = try await store.clearLookups(limit: 3)
        #expect(page.map { String(decoding: $0.value, as: UTF8.self) } == ["a", "a", "b"])
        for _ in 1...2 {
            try await store.replace(
                page, by: page.map { $0.value == Array("a".utf8) ? IdentifierKey.sample.hash(.customer, "a") : nil })
        }
        // then: each is found in one form, or in none
        #expect(try await found("a", []) == [[1], [2]])
        #expect(try await found("b", ["b"]) == [Array(try #require(last))])
        #expect(try await found("c", ["c"]) == [[1], [2]])
        #expect(try await store.clearLookups(limit: 9).count == 3)
        try store.close()
    }
}
