import EventSourcing
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
}

extension SQLiteEventStore {
    /// In `directory`, with the bounds of the contract.
    convenience init(
        in directory: TemporaryDirectory, maximumBytes: Int64? = nil,
        migrations: [SchemaMigration] = SchemaMigration.all
    ) throws(StoreError) {
        var configuration = SQLiteConfiguration(path: directory.path("store.db"))
        configuration.shardCount = StoreContract.shardCount
        configuration.quarantineLimit = StoreContract.quarantineLimit
        configuration.maximumBytes = maximumBytes
        try self.init(configuration: configuration, migrations: migrations)
    }
}
