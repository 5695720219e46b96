import EventLog
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

@Suite(.onOwnThreads) struct PostgresEventStoreContractTests {
    @Test(arguments: StoreContract.all)
    func keeps(_ contract: StoreContract) async throws {
        let database = try PostgresServer.shared().makeSchema()
        let store = try PostgresEventStore(in: database)
        try await contract.hold(store)
        store.close()
        try database.drop()
    }

    @Test func `each node knows the quarantine's room`() async throws {
        let database = try PostgresServer.shared().makeSchema()
        let (store, other) = (try PostgresEventStore(in: database), try PostgresEventStore(in: database))
        try await StoreContract.fillQuarantine(of: store)

        try await StoreContract.holdFilledQuarantine(other)

        store.close()
        other.close()
        try database.drop()
    }

    @Test("a store that was rewound fences whoever remembers more, and knows who has written what it has")
    func isRewound() async throws {
        let database = try PostgresServer.shared().makeSchema()
        let store = try PostgresEventStore(in: database)
        let tables = ["shard", "shard_epoch", "stream", "event", "evidence", "lookup"]
        try await StoreContract.holdWhenRewound(store) { _ in
            try database.query(tables.map { "CREATE TABLE saved_\($0) AS TABLE \($0);" }.joined())
        } restore: { store, _ in
            try database.query(
                tables.map { "DELETE FROM \($0); INSERT INTO \($0) OVERRIDING SYSTEM VALUE TABLE saved_\($0);" }
                    .joined())
            return store
        }
        store.close()
        try database.drop()
    }
}

extension PostgresConfiguration {
    /// With the bounds of the contract, few sessions, since tests run side by side, and patience with a busy machine.
    init(for database: PostgresDatabase, url: String? = nil) {
        self.init(connectionString: url ?? database.url("sslmode=disable&connect_timeout=300"))
        self.shardCount = StoreContract.shardCount
        self.quarantineLimits = StoreContract.quarantineLimits
        self.maximumReaders = 2
        self.statementTimeout = .seconds(300)
        self.lockTimeout = .seconds(300)
    }
}

extension PostgresEventStore {
    /// Connected as `url` says, if it is not the database's own.
    convenience init(
        in database: PostgresDatabase, url: String? = nil, migrations: [SchemaMigration] = SchemaMigration.all
    ) throws(StoreError) {
        try self.init(configuration: PostgresConfiguration(for: database, url: url), migrations: migrations)
    }
}
