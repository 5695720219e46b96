import EventSourcing
import Foundation
import PerennialTestSupport
import SQLiteStore
import Testing

@Suite(.onOwnThreads) struct SQLiteEventStoreContractTests {
    @Test(arguments: StoreContract.all)
    func keeps(_ contract: StoreContract) async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteEventStore(in: directory)
        try await contract.hold(store)
        try store.close()
    }

    @Test("a store that was rewound fences whoever remembers more, and knows who has written what it has")
    func isRewound() async throws {
        let (directory, backup) = (try TemporaryDirectory(), try TemporaryDirectory())
        try await StoreContract.holdWhenRewound(SQLiteEventStore(in: directory)) { _ in
            for name in ["store.db", "store.db-wal"] {
                try FileManager.default.copyItem(atPath: directory.path(name), toPath: backup.path(name))
            }
        } restore: { store, _ in
            try store.close()
            for name in ["store.db", "store.db-wal"] {
                try? FileManager.default.removeItem(atPath: directory.path(name))
                try FileManager.default.copyItem(atPath: backup.path(name), toPath: directory.path(name))
            }
            return try SQLiteEventStore(in: directory)
        }
    }
}

extension SQLiteEventStore {
    /// In `directory`, with the bounds of the contract.
    convenience init(
        in directory: TemporaryDirectory, maximumBytes: Int64? = nil,
        migrations: [SchemaMigration] = SchemaMigration.all
    ) throws(StoreError) {
        var configuration = SQLiteConfiguration(path: directory.path("store.db"))
        configuration.shardCount = StoreContract.shardCount
        configuration.quarantineLimits = StoreContract.quarantineLimits
        configuration.maximumBytes = maximumBytes
        try self.init(configuration: configuration, migrations: migrations)
    }
}
