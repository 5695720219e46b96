import Customers
import EventLog
import InMemoryStore
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// What a customer's view tells of what people have said.
@Suite(.timeLimit(.minutes(10))) struct CustomerHistoryTests: CustomerSuite {
    private static let other = CustomerID("u-2")!

    @Test func `links, grants, registrations and moves are told at both sides, the newest first`() async throws {
        var node = try self.node(InMemoryEventStore(shardCount: 16))
        node.configuration.customers.transfer = .transfer
        try await node.run { [node] service in
            func step() { node.clock.advance(to: node.clock.now + .seconds(1)) }
            var life = TestSubscription(id: "1", from: Node.start - .days(1))
            _ = try await service.ingest(signedPayload: try node.apple.sign(life.subscribe()))
            step()
            try await service.link(
                StreamReference(id: "1"), LinkRequest(Self.customer, origin: .backend, actor: "shop", reason: "asked"))
            step()
            try await service.change(Self.grant("g"))
            step()
            try await service.register([.account("7041")], for: Self.customer, actor: "shop")
            step()
            try await service.link(StreamReference(id: "1"), LinkRequest(Self.other, origin: .backend, actor: "care"))
            step()
            try await service.register([.account("7041")], for: Self.other, actor: nil)

            let history = try #require(
                try await service.customer(Self.customer, in: .production, atLeast: nil, withHistory: true).history)
            #expect(history.map(\.event.kind) == [.registered, .linked, .registered, .granted, .linked])
            #expect(history.map(\.before) == [Self.customer, Self.customer, nil, nil, nil])
            #expect(history.map(\.after) == [Self.other, Self.other, Self.customer, nil, Self.customer])
            #expect(history.map(\.event.actor) == [nil, "care", "shop", "shop", "shop"])
            #expect(history.last?.event.link?.reason == "asked")
            #expect(Set(history.map(\.id)).count == 5)
            let others = try #require(
                try await service.customer(Self.other, in: .production, atLeast: nil, withHistory: true).history)
            #expect(others.map(\.event.kind) == [.registered, .linked])

            step()
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            let all = try #require(
                try await service.customer(Self.other, in: .production, atLeast: nil, withHistory: true).history)
            #expect(
                Set(all.map(\.event.kind)) == [
                    .registered, .linked, .granted, .moved, .moveExpected, .moveSettled,
                ])
            let old = try await service.customer(Self.customer, in: .production, atLeast: nil, withHistory: true)
            #expect(old.history?.contains { $0.event.kind == .moved } == true)
            #expect(try await Self.view(service).history == nil, "it is read where it is asked for")
        }
    }

    @Test func `who loses a purchase, or is refused it, is told so, by whatever it was theirs`() async throws {
        let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        for policy in [TransferPolicy.transfer, .keep] {
            var node = try self.node(InMemoryEventStore(shardCount: 16))
            node.configuration.customers.transfer = policy
            try await node.run { [node] service in
                var life = TestSubscription(id: "1", from: Node.start - .days(1))
                var bought = life.subscribe()
                bought.period?.appAccountToken = token
                _ = try await service.ingest(signedPayload: try node.apple.sign(bought))
                try? await service.link(StreamReference(id: "1"), LinkRequest(Self.other, origin: .backend))
                for customer in [CustomerID(token)!, Self.other] {
                    let view = try await service.customer(customer, in: .production, atLeast: nil, withHistory: true)
                    let kinds = view.history?.map(\.event.kind)
                    #expect(kinds == [policy == .keep ? .linkConflict : .linked], "\(customer.rawValue)")
                }
            }
        }
    }

    @Test func `fifty are shown, of whatever stream`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            for number in 0..<60 {
                node.clock.advance(to: node.clock.now + .seconds(1))
                try await service.change(CustomerRequest(Self.customer, .set(["a": .number(Double(number))])))
            }
            let history = try #require(
                try await service.customer(Self.customer, in: .production, atLeast: nil, withHistory: true).history)
            #expect(history.count == 50)
            guard case .attributes(let newest) = history[0].event.customer?.content else {
                Issue.record("\(history[0])")
                return
            }
            #expect(newest == ["a": .number(59)])
        }
    }
}
