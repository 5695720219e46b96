import Customers
import EventLog
import InMemoryStore
import PerennialTestSupport
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// What customers had at a moment of the past, and since when, through a whole node.
@Suite(.timeLimit(.minutes(10))) struct PastCustomerTests: CustomerSuite {
    private static let other = CustomerID("u-2")!
    private static let stream = StreamReference(id: "1")

    /// What was answered about a customer.
    private struct Answer: Equatable {
        let streams: Set<String>
        let entitlements: [CustomerAnswer]
        let grants: [Grant]
        let identifiers: [String]
        let attributes: [String: AttributeValue]
        let conflicts: Set<String>
        let history: [String]
        let movedTo: CustomerID?

        init(_ view: CustomerView) {
            self.streams = Set(
                view.streams.map { "\($0.key) \($0.because) \($0.snapshot.state) \($0.since.map(\.rfc3339) ?? "")" })
            self.history = view.history?.map(\.id) ?? []
            self.entitlements = view.entitlements
            self.grants = view.grants
            self.identifiers = view.identifiers.map(\.text)
            self.attributes = view.attributes
            self.conflicts = Set(view.conflicts.map { "\($0)" })
            self.movedTo = view.movedTo
        }
    }

    private static func answers(_ service: SubscriptionService, _ past: PastMoment? = nil) async throws -> [Answer] {
        var answers: [Answer] = []
        for name in Happenings.names {
            for environment in [AppStoreEnvironment.production, .sandbox] {
                let view = try await service.customer(
                    CustomerID(name)!, in: environment, asOf: past, atLeast: nil, withHistory: true)
                answers.append(Answer(view))
            }
        }
        return answers
    }

    @Test(arguments: 0..<8) func `what was answered then is what is said to have been answered`(seed: UInt64)
        async throws
    {
        let store = InMemoryEventStore(shardCount: 16)
        var node = try self.node(store)
        node.configuration.customers.transfer = TransferPolicy.allCases[Int(seed % 4)]
        node.configuration.customers.tokens = seed.isMultiple(of: 2) ? .id : .registered
        try await node.run { [node] service in
            var happenings = Happenings(node: node, service: service, random: SeededGenerator(seed: seed))
            happenings.deletes = false
            var asked: [(moment: Moment, answers: [Answer])] = []
            for step in 0..<120 {
                try await happenings.next()
                guard step.isMultiple(of: 4) else { continue }
                await eventually { store.inboxDepth().waiting == 0 }
                asked.append((node.clock.now, try await Self.answers(service)))
                node.clock.advance(to: node.clock.now + .seconds(1))
            }
            for (moment, answers) in asked {
                let past = PastMoment(at: nil, knownAt: moment)
                let again = try await Self.answers(service, past)
                for (place, pair) in zip(again, answers).enumerated() {
                    #expect(pair.0 == pair.1, "seed \(seed), \(moment), \(Happenings.names[place / 2])")
                }
            }
        }
    }

    @Test func `whose something was goes by what was recorded, and what it gave by all that is known`() async throws {
        var node = try self.node(InMemoryEventStore(shardCount: 16))
        node.configuration.customers.transfer = .transfer
        var life = TestSubscription(id: "1", from: Node.start - .days(40))
        let (first, second) = (try node.apple.sign(life.subscribe()), try node.apple.sign(life.renew()))
        try await node.run { [node] service in
            func holders(at moment: Moment?, knownAt: Moment? = nil) async throws -> [CustomerID] {
                var holders: [CustomerID] = []
                for customer in [Self.customer, Self.other] {
                    let past = PastMoment(at: moment, knownAt: knownAt)
                    let view = try await service.customer(customer, in: .production, asOf: past, atLeast: nil)
                    if view.entitlements.contains(where: \.entitled) { holders.append(customer) }
                }
                return holders
            }
            func wait() { node.clock.advance(to: node.clock.now + .hours(1)) }
            _ = try await service.ingest(signedPayload: first)
            for customer in [Self.customer, Self.other] {
                wait()
                try await service.link(Self.stream, LinkRequest(customer, origin: .backend, actor: "shop"))
            }
            let linked = node.clock.now
            #expect(try await holders(at: nil) == [], "it ran out ten days ago")
            wait()
            // The renewal of then comes late.
            _ = try await service.ingest(signedPayload: second)
            #expect(try await holders(at: nil) == [Self.other])
            #expect(try await holders(at: linked) == [Self.other])
            #expect(try await holders(at: linked - .seconds(1)) == [Self.customer])
            #expect(try await holders(at: linked - .hours(1) - .seconds(1)) == [], "linked to nobody yet")
            #expect(try await holders(at: nil, knownAt: linked) == [], "nobody knew")
            #expect(try await holders(at: linked, knownAt: linked - .seconds(1)) == [])
            let code = await Self.code { () throws(ServiceError) in
                _ = try await service.customer(
                    Self.customer, in: .production, asOf: PastMoment(at: node.clock.now + .seconds(1), knownAt: nil),
                    atLeast: nil)
            }
            #expect(code == .futureMoment)
        }
    }

    @Test func `a stream says since when it has been the customer's`() async throws {
        var node = try self.node(InMemoryEventStore(shardCount: 16))
        node.configuration.customers.transfer = .transfer
        node.configuration.customers.tokens = .registered
        let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        var bought = life.subscribe()
        bought.period?.appAccountToken = token
        let payload = try node.apple.sign(bought)
        try await node.run { [node] service in
            func since(_ customer: CustomerID) async throws -> Moment? {
                let view = try await service.customer(customer, in: .production, atLeast: nil, withHistory: true)
                return view.streams.first?.since
            }
            func wait() -> Moment {
                node.clock.advance(to: node.clock.now + .hours(1))
                return node.clock.now
            }
            _ = try await service.ingest(signedPayload: payload)
            let registered = wait()
            try await service.register([RegistrableIdentifier(.token, token)!], for: Self.customer, actor: nil)
            _ = wait()
            #expect(try await since(Self.customer) == registered)
            let moved = wait()
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            _ = wait()
            #expect(try await since(Self.other) == moved)
            let move = try await service.customer(
                Self.customer, in: .production, atLeast: nil, withHistory: true
            ).history?.first { $0.event.kind == .moved }
            let back = wait()
            try await service.undo(try #require(move).id, of: Self.customer, actor: nil, reason: nil)
            _ = wait()
            #expect(try await since(Self.customer) == back, "it was somebody else's in between")
            let linked = wait()
            let third = CustomerID("third")!
            try await service.link(Self.stream, LinkRequest(third, origin: .backend))
            _ = wait()
            // The same again changes nothing.
            try await service.link(Self.stream, LinkRequest(third, origin: .backend))
            #expect(try await since(third) == linked)
            #expect(try await since(Self.other) == nil)
        }
    }
}
