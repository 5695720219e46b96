import Customers
import EventLog
import InMemoryStore
import Jobs
import PerennialTestSupport
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// Deletions beside others, beside what cannot be read, and on several nodes.
@Suite(.timeLimit(.minutes(10))) struct DeletionTroubleTests: CustomerSuite {
    @Test func `four who share a purchase are deleted at once`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try CustomerDeletionTests().node(store, transfer: .share)
        let names = (0..<4).map { "customer-number-\($0)" }
        try await node.run { service in
            var life = TestSubscription(id: "1", from: Node.start)
            _ = try await service.ingest(signedPayload: try CustomerDeletionTests.signed(node, life.subscribe()))
            for name in names {
                try await service.link(
                    StreamReference(id: "1"), LinkRequest(CustomerID(name)!, origin: .backend))
            }
            let jobs = try await withThrowingTaskGroup(of: Job.self) { group in
                for name in names { group.addTask { try await service.delete(CustomerID(name)!, actor: nil) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            node.clock.advance(to: node.clock.now + .minutes(1))
            for job in jobs { try await eventually { try await service.storedJob(job.id).state == .done } }
            #expect(try await StoreTraces.find(names, in: store) == [])
        }
        try await CustomerDeletionTests.replays(store)
    }

    /// A store in which the events of subscription 2 cannot be read at times.
    private final class SpoiltStore: ForwardingStore {
        let inner: any EventStore = InMemoryEventStore(shardCount: 16)
        let isSpoilt = Mutex(false)

        func events(
            of key: [UInt8], in shard: ShardID, after version: StreamVersion, limit: Int
        ) async throws(StoreError) -> [StoredEvent] {
            if self.isSpoilt.withLock(\.self), StreamKey(bytes: key)?.id == "2" {
                throw StoreError(.corrupt, "as the test says")
            }
            return try await self.inner.events(of: key, in: shard, after: version, limit: limit)
        }
    }

    @Test func `where a stream cannot be read the customer stays known, and is deleted again`() async throws {
        let store = SpoiltStore()
        let node = try CustomerDeletionTests().node(store, transfer: .share)
        try await node.run { service in
            for id in ["1", "2"] {
                var life = TestSubscription(id: id, from: Node.start)
                _ = try await service.ingest(signedPayload: try node.apple.sign(life.subscribe()))
                try await service.link(StreamReference(id: id), LinkRequest(Self.customer, origin: .backend))
            }
            try await service.change(CustomerRequest(Self.customer, .set(["plan": .text("gold")])))
            store.isSpoilt.withLock { $0 = true }
            await #expect(throws: ServiceError.self) { try await service.delete(Self.customer, actor: nil) }
            node.clock.advance(to: node.clock.now + .minutes(1))
            try await eventually { try await service.allJobs().first?.state == .failed }
            #expect(try await service.allJobs().first?.message?.contains("could not be erased") == true)
            store.isSpoilt.withLock { $0 = false }
            // What it had is known still.
            #expect(try await Self.view(service).attributes == ["plan": .text("gold")])
            let job = try await CustomerDeletionTests.delete(Self.customer, node, service)
            #expect(job.state == .done)
            #expect(try await !Self.view(service).isKnown)
            #expect(try await StoreTraces.find(["gold"], in: store.inner) == [])
        }
    }

    @Test func `a node that comes later goes on with a deletion, and knows what to take out`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        let token = RegistrableIdentifier.token(AccountToken(CustomerDeletionTests.token)!)
        let job = try await node.run { service in
            try await service.register([token], for: Self.customer, actor: nil)
            return try await service.delete(Self.customer, actor: nil)
        }
        #expect(job.state == .running)
        try await node.run { service in
            var life = TestSubscription(id: "1", from: Node.start)
            _ = try await service.ingest(signedPayload: try CustomerDeletionTests.signed(node, life.subscribe()))
            node.clock.advance(to: node.clock.now + .minutes(1))
            try await eventually { try await service.storedJob(job.id).state == .done }
            #expect(try await StoreTraces.find([CustomerDeletionTests.token, Self.customer.rawValue], in: store) == [])
        }
    }

    @Test func `rows that are parked are told of, since nobody reads them`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        store.put(InboxRow(dedupKey: [1], shard: ShardID(rawValue: 0), receivedAt: 1, raw: [1]))
        store.recordFailedAttempt([[1]], parkingAt: 1, at: 1)
        try await node.run { service in
            let job = try await CustomerDeletionTests.delete(Self.customer, node, service)
            #expect(job.state == .done && job.message?.contains("1 parked row") == true)
        }
    }

    /// One of two, by the clock of both.
    private func node(
        _ name: String, _ shards: Range<UInt16>, _ store: any EventStore, _ apple: TestAppStore, _ clock: ManualClock
    ) throws -> Node {
        var node = try Node(named: name, assigned: shards, store: store, apple: apple)
        node.clock = clock
        node.configuration.customers.tokens = .registered
        return node
    }

    @Test func `what another node owns and takes in is erased too`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .supported)
        let (apple, clock) = (try TestAppStore(), ManualClock(Node.start))
        let first = try self.node("a", 0..<8, store, apple, clock)
        let second = try self.node("b", 8..<16, store, apple, clock)
        let customer = CustomerID("customer-of-two-nodes")!
        let token = CustomerDeletionTests.token
        // Each is bought and renewed by the time at which the test begins.
        let told = (1...8).map { number in
            var life = TestSubscription(id: "\(number)", from: Node.start - .days(30))
            return (bought: life.subscribe(), renewed: life.renew())
        }
        try await first.run { a in
            try await second.run { b in
                let services = [a, b]
                // The first call of each waits for its connection.
                for service in services {
                    await eventually { await Self.refusal(of: Self.grant("first"), service) == nil }
                }
                try await b.register([.token(AccountToken(token)!)], for: customer, actor: nil)
                for (number, life) in told.enumerated() {
                    let payload = try CustomerDeletionTests.signed(first, life.bought)
                    _ = try await services[number % 2].ingest(signedPayload: payload)
                }
                #expect(try await a.customer(customer, in: .production, atLeast: nil).streams.count == 8)
                let job = try await a.delete(customer, actor: nil)
                // The other node may not have read yet what it is to take out.
                for (number, life) in told.enumerated() {
                    let payload = try CustomerDeletionTests.signed(first, life.renewed)
                    _ = try await services[1 - number % 2].ingest(signedPayload: payload)
                }
                clock.advance(to: clock.now + .minutes(3))
                try await eventually { try await b.storedJob(job.id).state == .done }
                #expect(try await StoreTraces.find([customer.rawValue, token], in: store) == [])
                #expect(try await b.customer(customer, in: .production, atLeast: nil).isKnown == false)
                for id in 1...8 { #expect(try await b.view("\(id)").snapshot?.entitled == true) }
            }
        }
    }
}
