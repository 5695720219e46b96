import Customers
import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing
import WireProtocol

/// What a deletion tells.
@Suite(.timeLimit(.minutes(10))) struct DeletionTellingTests: CustomerSuite {
    @Test func `of a customer that only a purchase names it is told too, and of nobody it is not`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        let shards = try #require(ShardHash(shardCount: 16))
        var life = TestSubscription(id: "1", from: Node.start)
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            try await service.link(StreamReference(id: "1"), LinkRequest(Self.customer, origin: .backend))
            for (customer, kinds) in [(Self.customer, [Change.deleted]), (CustomerDeletionTests.other, [])] {
                let key = StreamKey(.customer, try IdentifierKey(of: store).hash(.customer, customer.rawValue))
                // Deleted again, nothing is told again.
                for _ in 0..<2 {
                    _ = try await CustomerDeletionTests.delete(customer, node, service)
                    let events = store.events(
                        of: key.bytes, in: shards.shard(of: key.id), after: .zero, limit: 9)
                    let told = try events.map { try $0.decoded().kind }.filter { $0 != .entitlementGained }
                    #expect(told.filter { $0 == .deleted } == kinds)
                }
                let view = try await service.customer(customer, in: .production, atLeast: nil)
                #expect(!view.isKnown)
            }
        }
    }
}
