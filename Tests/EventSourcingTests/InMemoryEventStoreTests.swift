import EventSourcing
import PerennialTestSupport
import Testing

@Suite struct InMemoryEventStoreTests {
    @Test(arguments: SharedStoreContract.all)
    func shares(_ contract: SharedStoreContract) async throws {
        try await contract.hold(InMemoryEventStore(shardCount: StoreContract.shardCount))
    }

    @Test(arguments: StoreContract.all)
    func keeps(_ contract: StoreContract) async throws {
        try await contract.hold(
            InMemoryEventStore(shardCount: StoreContract.shardCount, quarantineLimit: StoreContract.quarantineLimit))
    }
}
