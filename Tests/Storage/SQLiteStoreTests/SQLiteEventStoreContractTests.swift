import EventLog
import Foundation
import GRDB
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
            // By SQLite, which closes nothing that is open.
            let (source, copy) = try (
                DatabaseQueue(path: directory.path("store.db")), DatabaseQueue(path: backup.path("store.db"))
            )
            try source.backup(to: copy)
            try copy.close()
            try source.close()
        } restore: { store, _ in
            try store.close()
            try FileManager.default.removeItem(atPath: directory.path("store.db"))
            try FileManager.default.copyItem(atPath: backup.path("store.db"), toPath: directory.path("store.db"))
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
