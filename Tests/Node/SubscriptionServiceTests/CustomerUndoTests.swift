import Customers
import EventLog
import InMemoryStore
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// Taking back what people have said, through a whole node.
@Suite(.timeLimit(.minutes(10))) struct CustomerUndoTests: CustomerSuite {
    private static let other = CustomerID("u-2")!
    private static let stream = StreamReference(id: "1")

    private func run(
        _ policy: TransferPolicy = .transfer, _ body: @Sendable (SubscriptionService, Node) async throws -> Void
    ) async throws {
        var node = try self.node(InMemoryEventStore(shardCount: 16))
        node.configuration.customers.transfer = policy
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { [node] service in
            _ = try await service.ingest(signedPayload: payload)
            try await body(service, node)
        }
    }

    private static func link(_ customer: CustomerID, _ service: SubscriptionService) async throws {
        try await service.link(Self.stream, LinkRequest(customer, origin: .backend, actor: "shop"))
    }

    private static func holders(_ service: SubscriptionService) async throws -> [CustomerID] {
        var holders: [CustomerID] = []
        for customer in [Self.customer, Self.other] {
            let view = try await service.customer(customer, in: .production, atLeast: nil)
            if !view.streams.isEmpty { holders.append(customer) }
        }
        return holders
    }

    private static func newest(
        _ kind: Change, of customer: CustomerID, _ service: SubscriptionService
    ) async throws -> CustomerEvent {
        let view = try await service.customer(customer, in: .production, atLeast: nil, withHistory: true)
        return try #require(view.history?.first { $0.event.kind == kind })
    }

    private static func undo(
        _ event: CustomerEvent, of customer: CustomerID, _ service: SubscriptionService
    ) async -> ServiceError.Code? {
        do {
            try await service.undo(event.id, of: customer, actor: "care", reason: nil)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a transfer is taken back at either side, once`() async throws {
        for side in [Self.customer, Self.other] {
            try await self.run { service, node in
                try await Self.link(Self.customer, service)
                node.clock.advance(to: node.clock.now + .seconds(1))
                try await Self.link(Self.other, service)
                #expect(try await Self.holders(service) == [Self.other])
                let event = try await Self.newest(.linked, of: side, service)
                #expect(await Self.undo(event, of: side, service) == nil)
                #expect(try await Self.holders(service) == [Self.customer])
                #expect(await Self.undo(event, of: side, service) == .nothingToUndo, "it is undone already")
                let said = try await Self.newest(.linked, of: Self.customer, service)
                #expect(said.event.actor == "care" && said.event.link?.reason == "undo of \(event.id)")
                // What takes something back is taken back likewise.
                #expect(await Self.undo(said, of: Self.customer, service) == nil)
                #expect(try await Self.holders(service) == [Self.other])
            }
        }
    }

    @Test func `the first link is taken back to none`() async throws {
        try await self.run { service, _ in
            try await Self.link(Self.customer, service)
            let event = try await Self.newest(.linked, of: Self.customer, service)
            #expect(await Self.undo(event, of: Self.customer, service) == nil)
            #expect(try await Self.holders(service) == [])
        }
    }

    @Test func `a request that has recorded several events is taken back as a whole, by each of them`() async throws {
        // given: a purchase that carries the token of the customer, who is linked as well
        let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        let owner = CustomerID(token)!
        for place in 0..<2 {
            var node = try self.node(InMemoryEventStore(shardCount: 16))
            node.configuration.customers.transfer = .transfer
            var life = TestSubscription(id: "1", from: Node.start - .days(1))
            var bought = life.subscribe()
            bought.period?.appAccountToken = token
            let payload = try node.apple.sign(bought)
            try await node.run { service in
                _ = try await service.ingest(signedPayload: payload)
                for customer in [Self.other, owner] { try await Self.link(customer, service) }
                try await service.link(
                    Self.stream, LinkRequest(owner, origin: .backend, action: .unlink, actor: "shop"))
                let view = try await service.customer(owner, in: .production, atLeast: nil, withHistory: true)
                #expect(view.streams.isEmpty)
                let said = try #require(view.history?.filter { $0.event.kind == .unlinked })
                #expect(said.count == 2, "the link is taken back, and the token is overruled")
                // when
                #expect(await Self.undo(said[place], of: owner, service) == nil)
                // then
                #expect(try await service.customer(owner, in: .production, atLeast: nil).streams.count == 1)
                let leads = try await service.history(Self.stream).compactMap(\.event.link)
                #expect(leads.last?.customer == owner && leads.last?.token == AccountToken(token))
            }
        }
    }

    @Test func `requests of the same moment are taken back one by one`() async throws {
        try await self.run { service, _ in
            for customer in [Self.customer, Self.other] { try await Self.link(customer, service) }
            let event = try await Self.newest(.linked, of: Self.other, service)
            #expect(await Self.undo(event, of: Self.other, service) == nil)
            #expect(try await Self.holders(service) == [Self.customer])
        }
    }

    @Test func `who has it by a registration since does not lose it`() async throws {
        var node = try self.node(InMemoryEventStore(shardCount: 16))
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        var bought = life.subscribe()
        bought.period?.appTransactionID = "7041"
        let payload = try node.apple.sign(bought)
        node.configuration.customers.transfer = .transfer
        try await node.run { [node] service in
            func step() { node.clock.advance(to: node.clock.now + .seconds(1)) }
            _ = try await service.ingest(signedPayload: payload)
            try await Self.link(Self.customer, service)
            step()
            try await service.link(Self.stream, LinkRequest(Self.customer, origin: .backend, action: .unlink))
            let event = try await Self.newest(.unlinked, of: Self.customer, service)
            step()
            try await service.register([.account("7041")], for: Self.other, actor: nil)
            #expect(try await Self.holders(service) == [Self.other])
            #expect(await Self.undo(event, of: Self.customer, service) == .nothingToUndo)
            #expect(try await Self.holders(service) == [Self.other])
        }
    }

    @Test func `an undo whose commit nobody heard of is done once, and answered so`() async throws {
        let store = ScriptedStore(InMemoryEventStore(shardCount: 16))
        var node = try self.node(store)
        node.configuration.customers.transfer = .transfer
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { [node] service in
            _ = try await service.ingest(signedPayload: payload)
            for customer in [Self.customer, Self.other] {
                node.clock.advance(to: node.clock.now + .seconds(1))
                try await Self.link(customer, service)
            }
            let event = try await Self.newest(.linked, of: Self.other, service)
            store.next([ScriptedStore.happensUnheard])
            #expect(await Self.undo(event, of: Self.other, service) == nil)
            #expect(try await Self.holders(service) == [Self.customer])
        }
    }

    @Test func `a grant that a customer brought along is taken back where it is now`() async throws {
        try await self.run { service, node in
            func step() { node.clock.advance(to: node.clock.now + .seconds(1)) }
            try await service.change(Self.grant("g", until: Node.start + .days(3)))
            step()
            try await service.change(Self.grant("g", until: Node.start + .days(9), replaces: true))
            let event = try await Self.newest(.granted, of: Self.customer, service)
            step()
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            #expect(await Self.undo(event, of: Self.other, service) == nil)
            #expect(try await service.kept(of: Self.other).grants.map(\.until) == [Node.start + .days(3)])
        }
    }

    @Test func `older nodes have to go first`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .registrations)
        let node = try Node(store: store)
        try await node.run { service in
            let error = await #expect(throws: ServiceError.self) {
                try await service.undo("1-1", of: Self.customer, actor: nil, reason: nil)
            }
            #expect(error?.code == .olderNodes)
        }
    }

    @Test func `what has been said since stays`() async throws {
        try await self.run { service, node in
            try await Self.link(Self.customer, service)
            let event = try await Self.newest(.linked, of: Self.customer, service)
            node.clock.advance(to: node.clock.now + .seconds(1))
            try await Self.link(Self.other, service)
            #expect(await Self.undo(event, of: Self.customer, service) == .nothingToUndo)
            #expect(try await Self.holders(service) == [Self.other])
        }
    }

    @Test func `a renewal in between does not matter`() async throws {
        try await self.run { service, node in
            try await Self.link(Self.customer, service)
            let event = try await Self.newest(.linked, of: Self.customer, service)
            var life = TestSubscription(id: "1", from: Node.start - .days(1))
            _ = life.subscribe()
            life.wait(.hours(1))
            _ = try await service.ingest(signedPayload: try node.apple.sign(life.turnAutoRenew(false)))
            #expect(await Self.undo(event, of: Self.customer, service) == nil)
            #expect(try await Self.holders(service) == [])
        }
    }

    @Test func `a grant, its change and its end are taken back`() async throws {
        try await self.run { service, node in
            func step() { node.clock.advance(to: node.clock.now + .seconds(1)) }
            try await service.change(Self.grant("g", until: Node.start + .days(3)))
            step()
            try await service.change(Self.grant("g", until: Node.start + .days(9), replaces: true))
            let change = try await Self.newest(.granted, of: Self.customer, service)
            step()
            #expect(await Self.undo(change, of: Self.customer, service) == nil)
            #expect(try await service.kept(of: Self.customer).grants.map(\.until) == [Node.start + .days(3)])
            step()
            try await service.change(CustomerRequest(Self.customer, .revoke(grant: "g")))
            #expect(try await !Self.isEntitled(service))
            let end = try await Self.newest(.grantRevoked, of: Self.customer, service)
            step()
            #expect(await Self.undo(end, of: Self.customer, service) == nil)
            #expect(try await Self.isEntitled(service))
            #expect(await Self.undo(end, of: Self.customer, service) == .nothingToUndo)
            let view = try await service.customer(Self.customer, in: .production, atLeast: nil, withHistory: true)
            let first = try #require(view.history?.last { $0.event.kind == .granted })
            #expect(await Self.undo(first, of: Self.customer, service) == .nothingToUndo, "it was changed since")
        }
    }

    @Test func `a new grant is taken back`() async throws {
        try await self.run { service, node in
            try await service.change(Self.grant("g"))
            let event = try await Self.newest(.granted, of: Self.customer, service)
            node.clock.advance(to: node.clock.now + .seconds(1))
            #expect(await Self.undo(event, of: Self.customer, service) == nil)
            #expect(try await !Self.isEntitled(service))
        }
    }

    @Test func `a registration and its release are taken back`() async throws {
        try await self.run { service, node in
            try await service.register([.account("7041")], for: Self.customer, actor: "shop")
            node.clock.advance(to: node.clock.now + .seconds(1))
            try await service.register([.account("7041")], for: Self.other, actor: "shop")
            let moved = try await Self.newest(.registered, of: Self.other, service)
            #expect(await Self.undo(moved, of: Self.customer, service) == nil)
            #expect(try await service.find("7041").customer == Self.customer)
            try await service.release(.account("7041"), of: Self.customer, actor: nil)
            let released = try await Self.newest(.released, of: Self.customer, service)
            #expect(await Self.undo(released, of: Self.customer, service) == nil)
            #expect(try await service.find("7041").customer == Self.customer)
            #expect(await Self.undo(moved, of: Self.other, service) == .nothingToUndo)
        }
    }

    @Test func `what is old, or of nobody's history is not taken back`() async throws {
        try await self.run { service, node in
            try await Self.link(Self.customer, service)
            let event = try await Self.newest(.linked, of: Self.customer, service)
            #expect(await Self.undo(event, of: Self.other, service) == .nothingToUndo, "it is not theirs")
            for id in ["", "x", "1-", "-1", "99-1", "0-99999", "18446744073709551616-1"] {
                await #expect(throws: ServiceError.self) {
                    try await service.undo(id, of: Self.customer, actor: nil, reason: nil)
                }
            }
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            let move = try await Self.newest(.moved, of: Self.other, service)
            // At the other side it is the other one's by now, and still the link of before.
            node.clock.advance(to: node.clock.now + .days(31))
            #expect(await Self.undo(event, of: Self.other, service) == .nothingToUndo)
            #expect(await Self.undo(move, of: Self.other, service) == .nothingToUndo)
            #expect(try await Self.holders(service).contains(Self.other))
        }
    }

    @Test func `of those who take the same back at once one does`() async throws {
        for _ in 0..<10 {
            try await self.run { service, node in
                try await Self.link(Self.customer, service)
                node.clock.advance(to: node.clock.now + .seconds(1))
                try await Self.link(Self.other, service)
                let event = try await Self.newest(.linked, of: Self.other, service)
                let outcomes = await withTaskGroup(of: ServiceError.Code?.self) { group in
                    for _ in 0..<8 { group.addTask { await Self.undo(event, of: Self.other, service) } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes.count { $0 == nil } == 1)
                #expect(outcomes.allSatisfy { $0 == nil || $0 == .nothingToUndo })
                #expect(try await Self.holders(service) == [Self.customer])
            }
        }
    }
}
