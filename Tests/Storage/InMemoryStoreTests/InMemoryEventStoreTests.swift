import InMemoryStore
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
            InMemoryEventStore(shardCount: StoreContract.shardCount, quarantineLimits: StoreContract.quarantineLimits))
    }

    @Test("a store that was rewound fences whoever remembers more, and knows who has written what it has")
    func isRewound() async throws {
        try await StoreContract.holdWhenRewound(InMemoryEventStore(shardCount: StoreContract.shardCount)) { store in
            store.standby
        } restore: { store, standby in
            store.failOver(to: standby)
            return store
        }
    }
}
