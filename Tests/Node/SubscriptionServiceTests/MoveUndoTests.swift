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

/// Moves of customers that are taken back, through a whole node.
@Suite(.timeLimit(.minutes(10))) struct MoveUndoTests: CustomerSuite {
    private static let other = CustomerID("known")!
    private static let third = CustomerID("third")!
    private static let token = AccountToken("0f8fad5b-d9cb-469f-a165-70867728950e")!

    /// What a customer has, leaving out what time and versions change.
    private struct Holdings: Equatable {
        let streams: Set<String>
        let grants: [Grant]
        let identifiers: [String]
        let attributes: [String: AttributeValue]
        let entitled: [String]
        let movedTo: CustomerID?

        init(_ view: CustomerView) {
            self.streams = Set(view.streams.map(\.key.id))
            self.grants = view.grants
            self.identifiers = view.identifiers.map(\.text)
            self.attributes = view.attributes
            self.entitled = view.entitlements.filter(\.entitled).compactMap(\.entitlement)
            self.movedTo = view.movedTo
        }
    }

    private static func holdings(_ service: SubscriptionService) async throws -> [Holdings] {
        var holdings: [Holdings] = []
        for customer in [Self.customer, Self.other, Self.third] {
            holdings.append(Holdings(try await service.customer(customer, in: .production, atLeast: nil)))
        }
        return holdings
    }

    private static func request(_ customer: CustomerID, _ content: CustomerRequest.Content) -> CustomerRequest {
        CustomerRequest(customer, content, actor: "shop")
    }

    private static func grant(_ id: String, _ customer: CustomerID) -> CustomerRequest {
        var request = Self.grant(id)
        request.customer = customer
        return request
    }

    private static func link(_ id: String, _ customer: CustomerID, _ service: SubscriptionService) async throws {
        try await service.link(StreamReference(id: id), LinkRequest(customer, origin: .backend, actor: "shop"))
    }

    private static func event(
        _ kind: Change, of customer: CustomerID, _ service: SubscriptionService
    ) async throws -> String {
        let view = try await service.customer(customer, in: .production, atLeast: nil, withHistory: true)
        return try #require(view.history?.first { $0.event.kind == kind }).id
    }

    /// As a client does: what is in the way for longer than a node waits is asked for again.
    /// - Returns: nil where it was done.
    private static func undo(
        _ event: String, of customer: CustomerID, _ service: SubscriptionService
    ) async -> ServiceError.Code? {
        while true {
            let code = await Self.code { () throws(ServiceError) in
                try await service.undo(event, of: customer, actor: "care", reason: nil)
            }
            if code != .customerMoving { return code }
        }
    }

    private func run(_ body: @Sendable (SubscriptionService, Node) async throws -> Void) async throws {
        var node = try self.node(InMemoryEventStore(shardCount: 16))
        node.configuration.customers.transfer = .transfer
        let payloads = try ["1", "2", "3"].map { id in
            var life = TestSubscription(id: id, from: Node.start - .days(1))
            var bought = life.subscribe()
            if id == "3" { bought.period?.appAccountToken = Self.token.rawValue }
            return try node.apple.sign(bought)
        }
        try await node.run { [node] service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            try await body(service, node)
        }
    }

    /// One customer with a link, a token, grants and attributes, and another one with some of its own.
    private static func begin(_ service: SubscriptionService, _ node: Node) async throws {
        try await Self.link("1", Self.customer, service)
        try await Self.link("2", Self.other, service)
        try await service.register([.token(Self.token)], for: Self.customer, actor: "shop")
        try await service.change(Self.grant("g", Self.customer))
        try await service.change(Self.grant("same", Self.customer))
        try await service.change(Self.grant("same", Self.other))
        try await service.change(Self.request(Self.customer, .set(["a": .number(1), "b": .number(1)])))
        try await service.change(Self.request(Self.other, .set(["b": .number(2), "c": .number(2)])))
        node.clock.advance(to: node.clock.now + .seconds(1))
    }

    @Test func `a move is taken back at either side, exactly, and may be made again`() async throws {
        for (kind, side) in [
            (Change.moved, Self.customer), (.moved, Self.other), (.moveSettled, Self.other),
            (.moveExpected, Self.other),
        ] {
            try await self.run { service, node in
                try await Self.begin(service, node)
                let before = try await Self.holdings(service)
                #expect(before[0].streams == ["1", "3"] && before[0].grants.count == 2)
                for _ in 0..<2 {
                    #expect(try await service.move(Self.customer, to: Self.other, actor: nil) == Self.other)
                    let moved = try await Self.holdings(service)
                    #expect(moved[1].streams == ["1", "2", "3"] && moved[1].grants.count == 3)
                    let event = try await Self.event(kind, of: side, service)
                    node.clock.advance(to: node.clock.now + .seconds(1))
                    #expect(try await service.undo(event, of: side, actor: "care", reason: nil) == [])
                    #expect(try await Self.holdings(service) == before)
                    #expect(await Self.undo(event, of: side, service) == .nothingToUndo, "it is undone already")
                    #expect(try await Self.holdings(service) == before)
                }
                let states = [try await service.kept(of: Self.customer), try await service.kept(of: Self.other)]
                #expect(states.allSatisfy { $0.takes.isEmpty && $0.names == 1 })
                let history = try await service.customer(
                    Self.customer, in: .production, atLeast: nil, withHistory: true
                ).history
                #expect(history?.first { $0.event.kind == .moved }?.event.customer?.actor == "care")
            }
        }
    }

    @Test func `what has changed since stays where it is, and is named`() async throws {
        try await self.run { service, node in
            try await Self.begin(service, node)
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            let event = try await Self.event(.moved, of: Self.customer, service)
            node.clock.advance(to: node.clock.now + .seconds(1))
            try await Self.link("1", Self.third, service)
            try await service.release(.token(Self.token), of: Self.other, actor: nil)
            try await service.change(Self.request(Self.other, .revoke(grant: "g")))
            try await service.change(Self.request(Self.other, .set(["a": .number(7)])))
            try await service.change(Self.grant("later", Self.customer))
            let changed = try await service.undo(event, of: Self.customer, actor: "care", reason: nil)
            #expect(
                Set(changed) == [
                    .stream(
                        StreamKey(
                            kind: .subscription, id: "1", environment: .production, bundleID: TestAppStore.bundles[0])),
                    .identifier(.token(Self.token)), .grant("g"), .attribute("a"),
                ])
            let after = try await Self.holdings(service)
            #expect(after[0].streams.isEmpty && after[2].streams == ["1"])
            #expect(after[0].grants.map(\.id) == ["same"])
            #expect(Set(after[1].grants.map(\.id)) == ["g", "same", "later"])
            #expect(after[1].grants.first { $0.id == "g" }?.revokedAt != nil)
            #expect(after[0].attributes == ["a": .number(1), "b": .number(1)])
            #expect(after[1].attributes == ["a": .number(7), "b": .number(2), "c": .number(2)])
        }
    }

    @Test func `what was forgotten for an undo that was not made stays, also where it is again as it was`() async throws
    {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            try await service.change(Self.grant("g", Self.customer))
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            let event = try await Self.event(.moved, of: Self.customer, service)
            let granted = try await service.kept(of: Self.other).grants
            try await service.change(Self.request(Self.other, .revoke(grant: "g")))
            // A process dies after the first step.
            let key = try IdentifierKey(of: store)
            let source = StreamKey(.customer, key.hash(.customer, Self.customer.rawValue))
            let shard = try #require(ShardHash(shardCount: 16)).shard(of: source.id)
            let version = try await store.history(of: source, in: shard).count
            let leave = Self.request(Self.customer, .leave(grants: [GrantKey("g")], at: Int64(version)))
            let bundle = FactBundle(
                source: .person, dedupKey: [1], contentDigest: .zero, signedDate: Node.start, customer: leave)
            _ = try await service.record(Submission(key: source, bundle: bundle, evidence: nil))
            // Support gives it back where it is.
            let revocation = try await Self.event(.grantRevoked, of: Self.other, service)
            #expect(await Self.undo(revocation, of: Self.other, service) == nil)
            #expect(try await service.kept(of: Self.other).grants == granted)
            let changed = try await service.undo(event, of: Self.customer, actor: nil, reason: nil)
            #expect(changed == [.grant("g")])
            let after = try await Self.holdings(service)
            #expect(after[0].grants.isEmpty && after[1].grants.map(\.id) == ["g"])
            #expect(after[1].entitled == ["pro"])
        }
    }

    /// A web shop's renewal says the same id again.
    @Test func `a grant of an id that stayed with the other one is had again, and moves again`() async throws {
        try await self.run { service, node in
            func moved() async throws -> String {
                _ = try await service.move(Self.customer, to: Self.other, actor: nil)
                node.clock.advance(to: node.clock.now + .seconds(1))
                return try await Self.event(.moved, of: Self.customer, service)
            }
            try await service.change(Self.grant("g", Self.customer))
            let first = try await moved()
            try await service.change(Self.request(Self.other, .revoke(grant: "g")))
            try await service.change(Self.grant("late", Self.customer))
            #expect(await Self.undo(first, of: Self.customer, service) == nil)
            for id in ["g", "late"] { try await service.change(Self.grant(id, Self.customer)) }
            let before = try await Self.holdings(service)
            #expect(before[0].grants.filter { $0.revokedAt == nil }.map(\.id) == ["g", "late"])
            let second = try await moved()
            let live = try await Self.holdings(service)[1].grants.filter { $0.revokedAt == nil }
            #expect(live.map(\.id).sorted() == ["g", "late", "late"])
            #expect(await Self.undo(second, of: Self.customer, service) == nil)
            #expect(try await Self.holdings(service) == before)
        }
    }

    /// The grant is a third customer's by then, and revoked there.
    @Test func `what was revoked further on does not come back with whoever brought it`() async throws {
        try await self.run { service, node in
            try await service.change(Self.grant("g", Self.customer))
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            let first = try await Self.event(.moved, of: Self.customer, service)
            // A history of two shards is in the order of time.
            node.clock.advance(to: node.clock.now + .seconds(1))
            _ = try await service.move(Self.other, to: Self.third, actor: nil)
            let second = try await Self.event(.moved, of: Self.other, service)
            try await service.change(Self.request(Self.third, .revoke(grant: "g")))
            let kept: [NotUndone] = [.grant("g")]
            #expect(try await service.undo(second, of: Self.third, actor: nil, reason: nil) == kept)
            #expect(try await service.undo(first, of: Self.customer, actor: nil, reason: nil) == kept)
            let after = try await Self.holdings(service)
            let counts = after.map { $0.grants.count }
            #expect(counts == [0, 0, 1])
            #expect(after.allSatisfy { $0.entitled.isEmpty })
        }
    }

    @Test func `who has moved on comes back first`() async throws {
        try await self.run { service, node in
            try await Self.begin(service, node)
            let before = try await Self.holdings(service)
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            let first = try await Self.event(.moved, of: Self.customer, service)
            let between = try await Self.holdings(service)
            // A history of two shards is in the order of time.
            node.clock.advance(to: node.clock.now + .seconds(1))
            _ = try await service.move(Self.other, to: Self.third, actor: nil)
            let second = try await Self.event(.moved, of: Self.other, service)
            #expect(await Self.undo(first, of: Self.customer, service) == .nothingToUndo)
            #expect(await Self.undo(second, of: Self.third, service) == nil)
            #expect(try await Self.holdings(service) == between)
            #expect(await Self.undo(first, of: Self.customer, service) == nil)
            #expect(try await Self.holdings(service) == before)
        }
    }

    @Test func `of those who take the same move back at once one does`() async throws {
        for _ in 0..<10 {
            try await self.run { service, node in
                try await Self.begin(service, node)
                let before = try await Self.holdings(service)
                _ = try await service.move(Self.customer, to: Self.other, actor: nil)
                let event = try await Self.event(.moved, of: Self.customer, service)
                let outcomes = await withTaskGroup(of: ServiceError.Code?.self) { group in
                    for _ in 0..<6 { group.addTask { await Self.undo(event, of: Self.other, service) } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes.count { $0 == nil } == 1)
                #expect(outcomes.allSatisfy { $0 == nil || $0 == .nothingToUndo })
                #expect(try await Self.holdings(service) == before)
            }
        }
    }

    @Test func `nobody loses a grant or has it twice, whatever happens meanwhile`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            for round in 0..<30 {
                let names = try ["s", "t", "u"].map { try #require(CustomerID("\($0)-\(round)")) }
                for name in names { try await service.change(Self.grant("g-\(name.rawValue)", name)) }
                _ = try await service.move(names[0], to: names[1], actor: nil)
                let event = try await Self.event(.moved, of: names[0], service)
                await withTaskGroup { group in
                    for side in names.prefix(2) { group.addTask { _ = await Self.undo(event, of: side, service) } }
                    group.addTask { _ = try? await service.change(Self.grant("late", names[0])) }
                    group.addTask { _ = try? await service.move(names[1], to: names[2], actor: nil) }
                    group.addTask { _ = try? await service.move(names[0], to: names[1], actor: nil) }
                }
                try await service.change(Self.grant("late", names[0]))
                var grants: [String] = []
                for name in names {
                    let view = try await service.customer(name, in: .production, atLeast: nil)
                    grants += view.grants.map(\.id)
                }
                let made = names.map { "g-\($0.rawValue)" }
                #expect(grants.filter { $0 != "late" }.sorted() == made.sorted(), "\(round)")
                #expect(grants.contains("late"))
            }
        }
    }

    /// A process dies after each step in turn.
    @Test(arguments: 1...3, [true, false])
    func `what an undo has left half done the next one does, or a change settles`(
        steps: Int, again: Bool
    ) async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            try await service.change(Self.grant("g", Self.customer))
            try await service.change(Self.request(Self.customer, .set(["own": .number(1)])))
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            let event = try await Self.event(.moved, of: Self.customer, service)
            await eventually { store.inboxDepth().waiting == 0 }
            let key = try IdentifierKey(of: store)
            let origin = key.hash(.customer, Self.customer.rawValue).half
            func version(_ customer: CustomerID) async throws -> Int64 {
                let bytes = StreamKey(.customer, key.hash(.customer, customer.rawValue)).bytes
                let shard = try #require(ShardHash(shardCount: 16)).shard(of: StreamKey(bytes: bytes)!.id)
                let rows = try await store.load([LoadRequest(shard: shard, keys: [bytes])])[0].streams
                return try #require(rows.first).version.rawValue
            }
            let begun = try await version(Self.customer)
            let leaving = ReturnedBelongings(
                grants: [GrantKey("g", under: origin)], attributes: ["own"], origins: [origin])
            let requests = [
                Self.request(
                    Self.other,
                    .giveBack(
                        GiveBack(
                            Self.customer, at: begun, Room(grants: 1), leaving, seen: try await version(Self.other)))),
                Self.request(Self.customer, .comeBack(from: Self.other, at: begun)),
                Self.request(Self.other, .drop(Self.customer, before: begun + 1)),
            ]
            for (step, request) in requests.prefix(steps).enumerated() {
                let target = StreamKey(.customer, key.hash(.customer, request.customer.rawValue))
                let bundle = FactBundle(
                    source: .person, dedupKey: [UInt8(steps), UInt8(step), 7],
                    contentDigest: .zero, signedDate: Node.start, customer: request)
                _ = try await service.record(Submission(key: target, bundle: bundle, evidence: nil))
            }
            let half = try await Self.holdings(service)
            #expect(half[0].grants.map(\.id) == (steps < 2 ? [] : ["g"]))
            #expect(half[1].grants.map(\.id) == (steps < 2 ? ["g"] : []))
            if again {
                #expect(await Self.undo(event, of: Self.customer, service) == (steps < 2 ? nil : .nothingToUndo))
            }
            try await service.change(Self.request(Self.other, .set(["a": .number(1)])))
            let isBack = again || steps > 1
            let end = try await Self.holdings(service)
            #expect(end[isBack ? 0 : 1].grants.map(\.id) == ["g"] && end[isBack ? 1 : 0].grants.isEmpty)
            #expect(end[0].movedTo == (isBack ? nil : Self.other))
            #expect(end[isBack ? 0 : 1].attributes["own"] == .number(1))
            #expect(try await service.kept(of: Self.other).takes.isEmpty)
        }
    }
}
