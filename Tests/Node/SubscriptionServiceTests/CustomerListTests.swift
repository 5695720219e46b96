import EventLog
import InMemoryStore
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

/// Lists of subscriptions and purchases with whose they are.
@Suite(.timeLimit(.minutes(10))) struct CustomerListTests: CustomerSuite {
    private static let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"

    /// Every page of a list. None is longer than asked for.
    private static func all(
        _ filter: CustomerFilter, limit: Int = 100, _ service: SubscriptionService
    ) async throws -> [CustomerListing] {
        var listings: [CustomerListing] = []
        var cursor: String?
        repeat {
            let page = try await service.list(filter, after: cursor, limit: limit)
            #expect(page.listings.count <= limit)
            listings += page.listings
            cursor = page.next
        } while cursor != nil
        return listings
    }

    private static func ids(_ filter: CustomerFilter, _ service: SubscriptionService) async throws -> Set<String> {
        let listings = try await Self.all(filter, service)
        let ids = Set(listings.map(\.snapshot.key.id))
        #expect(ids.count == listings.count, "each once")
        return ids
    }

    @Test(arguments: [1, 7, 1_000]) func `pages of any size hold every stream once`(_ limit: Int) async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            for number in 1...60 {
                var life = TestSubscription(id: "\(number)", from: Node.start - .days(1))
                _ = try await service.ingest(signedPayload: try node.apple.sign(life.subscribe()))
                try await service.change(CustomerRequest(CustomerID("c-\(number)")!, .set(["a": .number(1)])))
            }
            let listings = try await Self.all(CustomerFilter(), limit: limit, service)
            #expect(listings.map(\.snapshot.key.id).sorted() == (1...60).map(String.init).sorted())
            await #expect(throws: ServiceError.self) {
                try await service.list(CustomerFilter(), after: "x", limit: 1)
            }
        }
    }

    @Test(arguments: [16, 256]) func `a page ends after so many rows, whatever it has found`(
        _ shards: Int
    ) async throws {
        let node = try self.node(InMemoryEventStore(shardCount: shards))
        let count = 4_500
        try await node.run { service in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<8 {
                    group.addTask {
                        for number in stride(from: lane, to: count, by: 8) {
                            var life = TestSubscription(id: "\(number)", from: Node.start - .days(1))
                            _ = try await service.ingest(signedPayload: try node.apple.sign(life.subscribe()))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let nothing = CustomerFilter(state: .retry)
            let first = try await service.list(nothing, after: nil, limit: 10)
            #expect(first.listings.isEmpty && first.next != nil)
            let second = try await service.list(nothing, after: first.next, limit: 10)
            #expect(second.listings.isEmpty && second.next == nil)
            #expect(try await Self.ids(CustomerFilter(), service).count == count)
        }
    }

    @Test func `each filter names what it is to name`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            // 1 runs; 2 is in retry; 3 is over; 4 is in Sandbox; each told by Apple alone.
            for (id, days) in [("1", 1), ("2", 31), ("3", 200), ("4", 1)] {
                var life = TestSubscription(id: id, from: Node.start - .days(Int64(days)))
                var bought = life.subscribe()
                if id == "1" { bought.period?.appAccountToken = Self.token }
                if id == "4" { bought.environment = .sandbox }
                _ = try await service.ingest(signedPayload: try node.apple.sign(bought))
                if id == "2" {
                    _ = try await service.ingest(signedPayload: try node.apple.sign(life.failToRenew(grace: nil)))
                }
            }
            #expect(try await Self.ids(CustomerFilter(), service) == ["1", "2", "3"])
            #expect(try await Self.ids(CustomerFilter(environment: .sandbox), service) == ["4"])
            for (state, id) in [(LifecycleState.subscribed, "1"), (.retry, "2"), (.expired, "3")] {
                #expect(try await Self.ids(CustomerFilter(state: state), service) == [id], "\(state)")
            }
            #expect(try await Self.ids(CustomerFilter(state: .owned), service).isEmpty)
            #expect(try await Self.ids(CustomerFilter(productID: "pro.monthly"), service).count == 3)
            #expect(try await Self.ids(CustomerFilter(productID: "pro"), service).isEmpty)
            #expect(try await Self.ids(CustomerFilter(bundleID: TestAppStore.bundles[1]), service).isEmpty)
            #expect(try await Self.ids(CustomerFilter(bundleID: TestAppStore.bundles[0]), service).count == 3)
            let now = node.clock.now
            #expect(try await Self.ids(CustomerFilter(expiresBefore: now), service) == ["2", "3"])
            #expect(try await Self.ids(CustomerFilter(expiresFrom: now), service) == ["1"])
            #expect(
                try await Self.ids(CustomerFilter(expiresBefore: now, expiresFrom: now - .days(10)), service) == ["2"])
        }
    }

    @Test func `those of which nobody has said whose they are`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        let unclaimed = CustomerFilter(isUnclaimed: true)
        let tokens = (1...3).map { "a0eebc99-9c0b-4ef8-bb6d-6bb9bd38000\($0)" }
        try await node.run { service in
            // 1 and 2 carry tokens, 3 and 4 nothing.
            for (id, token) in [("1", tokens[0]), ("2", tokens[1]), ("3", nil), ("4", nil)] {
                var life = TestSubscription(id: id, from: Node.start - .days(1))
                var bought = life.subscribe()
                bought.period?.appAccountToken = token
                _ = try await service.ingest(signedPayload: try node.apple.sign(bought))
            }
            #expect(try await Self.ids(unclaimed, service) == ["1", "2", "3", "4"])
            // The one whose id it is: that says nothing new.
            try await service.register([.token(AccountToken(tokens[1])!)], for: CustomerID(tokens[1])!, actor: nil)
            try await service.link(StreamReference(id: "3"), LinkRequest(Self.customer, origin: .backend))
            #expect(try await Self.ids(unclaimed, service) == ["1", "4"])
            try await service.link(
                StreamReference(id: "3"), LinkRequest(Self.customer, origin: .backend, action: .unlink))
            #expect(try await Self.ids(unclaimed, service) == ["1", "3", "4"])
            // Pages go on where they ended.
            #expect(try await Self.all(unclaimed, limit: 1, service).count == 3)
        }
    }

    @Test func `whose each is, and who waits for it`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            for id in ["1", "2"] {
                var life = TestSubscription(id: id, from: Node.start - .days(1))
                var bought = life.subscribe()
                if id == "1" { bought.period?.appAccountToken = Self.token }
                _ = try await service.ingest(signedPayload: try node.apple.sign(bought))
            }
            let (v, w) = (CustomerID("v")!, CustomerID("w")!)
            try await service.link(StreamReference(id: "2"), LinkRequest(Self.customer, origin: .backend))
            try? await service.link(StreamReference(id: "2"), LinkRequest(v, origin: .backend))
            let all = try await Self.all(CustomerFilter(), service).sorted {
                $0.snapshot.key.id < $1.snapshot.key.id
            }
            #expect(all.map(\.customers) == [[CustomerID(Self.token)!], [Self.customer]])
            #expect(all.map(\.conflicts) == [[], [v]])
            let waiting = CustomerFilter(hasConflicts: true)
            #expect(try await Self.ids(waiting, service) == ["2"])
            _ = try await service.move(Self.customer, to: w, actor: nil)
            #expect(try await Self.all(waiting, service).map(\.customers) == [[w]])
            _ = try await service.move(v, to: w, actor: nil)
            #expect(try await Self.ids(waiting, service).isEmpty, "whoever waited has it")
        }
    }
}
