import EventLog
import GRDB
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import SQLiteStore
import Subscriptions
import Testing

/// A store in a file, and the empty database that it moves to.
struct CopyFixture {
    let directory: TemporaryDirectory
    let database: PostgresDatabase

    init() throws {
        self.directory = try TemporaryDirectory()
        self.database = try PostgresServer.shared().makeDatabase()
    }

    func source() throws -> SQLiteEventStore { try self.source("store.db") }

    func source(_ name: String) throws -> SQLiteEventStore {
        var configuration = SQLiteConfiguration(path: self.directory.path(name))
        configuration.shardCount = nil
        return try SQLiteEventStore(configuration: configuration)
    }

    func receive(
        _ source: SQLiteEventStore, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(StoreError) -> PostgresDestination.Arrival {
        try PostgresDestination(connectionString: self.database.url).receive(source, progress: progress)
    }

    static func original(_ number: Int) -> [UInt8] {
        var notifications = SyntheticNotifications(seed: UInt64(number))
        return notifications.renewal(customer: number, period: 1)
    }

    /// A store that two runs of a node have written, closed: events with and without originals, some of them erased,
    /// look-ups, due streams, and a quarantine whose ids have holes.
    func fill(customers: Int = 2100) async throws {
        let store = try SQLiteEventStore(in: self.directory)
        var first = try StoreWriter(store, incarnation: 5)
        var notifications = SyntheticNotifications()
        for start in stride(from: 0, to: customers, by: 100) {
            var batches: [ShardBatch] = []
            for shard in [3, 40] {
                let events = (start..<min(start + 100, customers)).map { customer in
                    let evidence = customer < 150 ? [notifications.renewal(customer: customer, period: shard)] : []
                    return first.event(
                        Self.key(customer), evidence: evidence, dedupKey: Self.key(customer) + [UInt8(shard)])
                }
                batches.append(Self.completed(first.batch(shard, events)))
            }
            _ = try first.append(batches)
        }
        var second = try StoreWriter(resuming: first, incarnation: 6)
        try second.append([second.event(Self.key(1))], to: 40)
        try await store.eraseEvidence(of: Self.key(1), in: ShardID(rawValue: 3))
        for digest in UInt8(1)...3 {
            try await store.quarantine(
                QuarantinedPayload(
                    digest: [digest], reason: "unknownApp", detail: "d\(digest)", receivedAt: 1, raw: [digest]))
        }
        try await store.removeQuarantined(2)
        try await store.setBookmarks(["read": [1, 0, 255], "ä\u{0}": [2], "gone": [3]])
        try await store.setBookmarks(["gone": []])
        try store.close()
        try self.edit(
            """
            INSERT INTO quarantine VALUES (4, x'44', '', '', 0, x''); DELETE FROM quarantine WHERE id = 4;
            UPDATE store_meta SET feature_level = 3, restore_gen = 2
            """)
    }

    private static func key(_ customer: Int) -> [UInt8] { [UInt8(customer >> 8), UInt8(customer & 255)] }

    private static func completed(_ batch: ShardBatch) -> ShardBatch {
        var batch = batch
        for index in batch.streams.indices where index.isMultiple(of: 3) { batch.streams[index].nextDue = Int64(index) }
        batch.lookups = batch.streams.map { Lookup(kind: .customer, value: "ä\($0.key[1] % 7)\u{0}", key: $0.key) }
        return batch
    }

    func edit(_ sql: String) throws {
        let queue = try DatabaseQueue(path: self.directory.path("store.db"))
        try queue.write { db in try db.execute(sql: sql) }
        try queue.close()
    }

    func expectRefusal(
        _ source: SQLiteEventStore, _ code: StoreError.Code, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.expect(code, text, sourceLocation) { _ = try self.receive(source) }
    }

    func expectRefusal(
        opening name: String, _ code: StoreError.Code, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.expect(code, text, sourceLocation) { _ = try self.source(name) }
    }

    private func expect(
        _ code: StoreError.Code, _ text: String, _ sourceLocation: SourceLocation, _ body: () throws -> Void
    ) {
        #expect(sourceLocation: sourceLocation) {
            try body()
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            if error.code == code, error.message.contains(text), !error.message.contains("\n") { return true }
            print("not \"\(text)\": \(error.code) \(error.message)")
            return false
        }
    }
}

extension SQLiteEventStore {
    /// In `directory`, with the bounds of the contract.
    convenience init(
        in directory: TemporaryDirectory, migrations: [SQLiteStore.SchemaMigration] = SQLiteStore.SchemaMigration.all
    ) throws(StoreError) {
        var configuration = SQLiteConfiguration(path: directory.path("store.db"))
        configuration.shardCount = StoreContract.shardCount
        try self.init(configuration: configuration, migrations: migrations)
    }
}
