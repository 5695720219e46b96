import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

@Suite(.onOwnThreads) struct PostgresSharedStoreTests {
    @Test(arguments: SharedStoreContract.all)
    func keeps(_ contract: SharedStoreContract) async throws {
        let database = try PostgresServer.shared().makeSchema()
        let store = try PostgresEventStore(in: database)
        try await contract.hold(store)
        store.close()
        try database.drop()
    }
}
