import Customers
import EventLog
import InMemoryStore
import PerennialTestSupport
import Queries
import SQLiteStore
import ServiceContract
import SubscriptionService
import Subscriptions
import Synchronization
import Testing
import WireProtocol

/// Moves of customers through the whole of a node: ways there, deaths on the way, what happens meanwhile.
@Suite(.timeLimit(.minutes(10))) struct MovedCustomerTests: CustomerSuite {
    private static let other = CustomerID("known")!

    /// As a client does: what is in the way for longer than a node waits is asked for again.
    /// - Returns: nil where it was done.
    private static func move(
        _ source: CustomerID, to target: CustomerID, _ service: SubscriptionService
    ) async -> ServiceError.Code? {
        while true {
            do throws(ServiceError) {
                _ = try await service.move(source, to: target, actor: nil)
                return nil
            } catch {
                if error.code != .customerMoving { return error.code }
            }
        }
    }

    @Test func `everything of a customer is another one's after a move, also what comes later`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        let posts = try ["1", "2"].map { id in
            var life = TestSubscription(id: id, from: Node.start - .days(1))
            return try node.apple.transaction(life.subscribe())
        }
        try await node.run { service in
            let link = LinkRequest(Self.customer, origin: .post)
            _ = try await service.record(signedTransaction: posts[0], signedRenewalInfo: nil, link: link)
            try await service.change(Self.grant("g"))
            try await service.change(CustomerRequest(Self.customer, .set(["a": .number(1), "b": .number(1)])))
            try await service.change(CustomerRequest(Self.other, .set(["b": .number(2)])))
            for _ in 0..<2 {
                #expect(try await service.move(Self.customer, to: Self.other, actor: "shop") == Self.other)
            }
            // What is said under the old id is said of the new one.
            _ = try await service.record(signedTransaction: posts[1], signedRenewalInfo: nil, link: link)
            try await service.change(Self.grant("later"))
            try await service.link(StreamReference(id: "1"), LinkRequest(Self.other, origin: .backend))

            let old = try await Self.view(service)
            #expect(old.movedTo == Self.other && old.isKnown)
            #expect(old.streams.isEmpty && old.grants.isEmpty && !old.entitlements.contains { $0.entitled })
            let new = try await service.customer(Self.other, in: .production, atLeast: nil)
            #expect(Set(new.streams.map(\.key.id)) == ["1", "2"])
            #expect(Set(new.grants.map(\.id)) == ["g", "later"])
            #expect(new.attributes == ["a": .number(1), "b": .number(2)])
            // What was brought along is the other one's own.
            var revocation = CustomerRequest(Self.customer, .revoke(grant: "g"))
            try await service.change(revocation)
            #expect(try await service.grant("g", of: Self.customer).grant?.revokedAt != nil)
            revocation.content = .set(["a": nil])
            try await service.change(revocation)
            let changed = try await service.customer(Self.other, in: .production, atLeast: nil)
            #expect(changed.attributes == ["b": .number(2)] && changed.grants.filter { $0.revokedAt != nil }.count == 1)
            let checks = try await service.check(
                [
                    CustomerQuestion(Self.customer, entitlement: "pro"),
                    CustomerQuestion(Self.other, entitlement: "pro"),
                ],
                besides: service.check([], consistency: .local, atLeast: nil), consistency: .local,
                atLeast: nil)
            guard case .answer(let no, .moved(to: Self.other)) = checks.results[0],
                case .answer(let yes, .known) = checks.results[1]
            else {
                Issue.record("\(checks.results)")
                return
            }
            #expect(!no.entitled && yes.entitled)
            let events = try await service.history(StreamReference(id: "1")).map(\.event.kind)
            #expect(events == [.subscribed, .linked], "the link under the old id holds for the new one")
        }
    }

    @Test func `moves follow one another, and none comes back`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            let third = try #require(CustomerID("third"))
            try await service.change(Self.grant("g"))
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            #expect(try await service.move(Self.other, to: third, actor: nil) == third)
            let end = try await service.customer(third, in: .production, atLeast: nil)
            #expect(end.grants.map(\.id) == ["g"])
            let first = try await service.customer(Self.customer, in: .production, atLeast: nil)
            #expect(first.movedTo == third, "whose everything is by now, not the next one's")
            #expect(try await service.move(Self.customer, to: third, actor: nil) == third, "it is there already")
            let elsewhere = try #require(CustomerID("elsewhere"))
            for (source, target) in [(third, Self.customer), (Self.customer, elsewhere), (Self.other, Self.other)] {
                let error = await #expect(throws: ServiceError.self) {
                    try await service.move(source, to: target, actor: nil)
                }
                #expect(error?.code == (source == target ? .invalidRequest : .customerMoved), "\(source) \(target)")
            }
            let view = try await service.customer(elsewhere, in: .production, atLeast: nil)
            #expect(!view.isKnown, "nobody is expected there")
        }
    }

    @Test func `of moves that meet each other one is made, and nobody loses anything`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            for round in 0..<10 {
                let pair = try (0..<2).map { try #require(CustomerID("\(round)-\($0)")) }
                for customer in pair {
                    var request = Self.grant("g-\(customer.rawValue)")
                    request.customer = customer
                    try await service.change(request)
                }
                let codes = await withTaskGroup(of: ServiceError.Code?.self) { group in
                    for (source, target) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                        group.addTask { await Self.move(source, to: target, service) }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(codes.filter { $0 == nil }.count == 1 && codes.contains(.customerMoved))
                let views = try [
                    await service.customer(pair[0], in: .production, atLeast: nil),
                    await service.customer(pair[1], in: .production, atLeast: nil),
                ]
                #expect(views.filter { $0.movedTo == nil }.count == 1)
                #expect(views.flatMap(\.grants).map(\.id).sorted() == pair.map { "g-\($0.rawValue)" })
            }
        }
    }

    @Test func `many who move to one at once, while it moves on itself, all arrive`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            let others = try (0..<12).map { try #require(CustomerID("guest-\($0)")) }
            for other in others {
                var request = Self.grant("g-\(other.rawValue)")
                request.customer = other
                try await service.change(request)
            }
            try await withThrowingTaskGroup { group in
                for (source, target) in others.map({ ($0, Self.customer) }) + [(Self.customer, Self.other)] {
                    group.addTask { #expect(await Self.move(source, to: target, service) == nil) }
                }
                try await group.waitForAll()
            }
            let end = try await service.customer(Self.other, in: .production, atLeast: nil)
            #expect(end.grants.map(\.id).sorted() == others.map { "g-\($0.rawValue)" }.sorted())
            for other in others {
                let view = try await service.customer(other, in: .production, atLeast: nil)
                #expect(view.movedTo == Self.other && view.grants.isEmpty)
            }
        }
    }

    @Test func `who has been moved is granted and taken back under their own ids`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            var other = Self.grant("web")
            other.customer = Self.other
            try await service.change(other)
            try await service.change(Self.grant("web", entitlement: "pro"))
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            #expect(try await !service.change(Self.grant("web")), "a repetition under the old id")
            try await service.change(CustomerRequest(Self.customer, .revoke(grant: "web")))
            let view = try await service.customer(Self.other, in: .production, atLeast: nil)
            #expect(view.grants.filter { $0.revokedAt != nil }.map { $0.origin != nil } == [true])
            #expect(view.entitlements.contains { $0.entitled }, "the other one's own is as it was")
            // By way of another one, and extended there.
            let third = try #require(CustomerID("third"))
            try await service.change(Self.grant("later"))
            _ = try await service.move(Self.other, to: third, actor: nil)
            for (id, customer) in [("web", Self.other), ("later", Self.other)] {
                try await service.change(CustomerRequest(customer, .revoke(grant: id)))
            }
            let end = try await service.customer(third, in: .production, atLeast: nil)
            #expect(end.grants.count == 3 && end.grants.allSatisfy { $0.revokedAt != nil })
        }
    }

    @Test func `moves that ended half way do not keep others away`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            for number in 0..<CustomerState.takeLimit {
                let guest = try #require(CustomerID("guest-\(number)"))
                let key = try IdentifierKey(of: store)
                let bundle = FactBundle(
                    source: .person, dedupKey: [UInt8(number)], contentDigest: .zero, signedDate: Node.start,
                    customer: CustomerRequest(
                        Self.other, .take(guest, at: 0, Room(names: 31, grants: 12), origin: UInt64(number))))
                let target = StreamKey(.customer, key.hash(.customer, Self.other.rawValue))
                _ = try await service.record(Submission(key: target, bundle: bundle, evidence: nil))
            }
            // More than the room that is left while those may come, who do not.
            for id in ["g", "h", "i"] { try await service.change(Self.grant(id)) }
            #expect(await Self.move(Self.customer, to: Self.other, service) == nil)
            let state = try await service.kept(of: Self.other)
            #expect(state.takes.isEmpty && state.grants.map(\.id) == ["g", "h", "i"])
            let third = try #require(CustomerID("third"))
            #expect(await Self.move(Self.other, to: third, service) == nil)
        }
    }

    @Test func `a move finds its way while the customer's grants change`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            for round in 0..<12 {
                let (source, target) = (
                    try #require(CustomerID("s-\(round)")), try #require(CustomerID("t-\(round)"))
                )
                func request(_ content: CustomerRequest.Content) -> CustomerRequest {
                    CustomerRequest(source, content, actor: "shop")
                }
                var first = Self.grant("refunded")
                first.customer = source
                try await service.change(first)
                try await withThrowingTaskGroup { group in
                    for _ in 0..<3 {
                        group.addTask { #expect(await Self.move(source, to: target, service) == nil) }
                    }
                    let (revocation, grants) = (
                        request(.revoke(grant: "refunded")),
                        (0..<4).map { number in
                            var grant = Self.grant("later-\(number)")
                            grant.customer = source
                            return grant
                        }
                    )
                    group.addTask { _ = try await service.change(revocation) }
                    for grant in grants { group.addTask { _ = try await service.change(grant) } }
                    try await group.waitForAll()
                }
                let view = try await service.customer(target, in: .production, atLeast: nil)
                #expect(view.grants.map(\.id).sorted() == (0..<4).map { "later-\($0)" } + ["refunded"])
                #expect(view.grants.filter { $0.revokedAt != nil }.map(\.id) == ["refunded"])
            }
        }
    }

    /// A process dies after each step of a move in turn.
    @Test(arguments: 1...3) func `what a move has left undone a repetition does`(steps: Int) async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            try await service.change(Self.grant("g"))
            // The grant, and that the customer was told of it.
            await eventually { store.inboxDepth().waiting == 0 }
            let version: Int64 = 2
            let record = try await service.kept(of: Self.customer)
            let origin = try IdentifierKey(of: store).hash(.customer, Self.customer.rawValue).half
            let brought = record.belongings(of: origin)
            let requests = [
                CustomerRequest(
                    Self.other, .take(Self.customer, at: version, record.room(at: Node.start), origin: origin)),
                CustomerRequest(Self.customer, .move(to: Self.other, at: version)),
                CustomerRequest(Self.other, .settle(Self.customer, brought, at: version + 1)),
            ]
            for request in requests.prefix(steps) {
                let key = StreamKey(
                    .customer, try IdentifierKey(of: store).hash(.customer, request.customer.rawValue))
                let bundle = FactBundle(
                    source: .person, dedupKey: [UInt8(steps), UInt8(request.customer.rawValue.utf8.count)],
                    contentDigest: .zero, signedDate: Node.start, customer: request)
                _ = try await service.record(Submission(key: key, bundle: bundle, evidence: nil))
            }
            // Whoever asks now sees the grant at one of the two, once.
            let (old, new) = (
                try await service.customer(Self.customer, in: .production, atLeast: nil),
                try await service.customer(Self.other, in: .production, atLeast: nil)
            )
            #expect((old.grants + new.grants).map(\.id) == ["g"])
            #expect(old.entitlements.contains { $0.entitled } == (steps < 2))
            #expect(new.entitlements.contains { $0.entitled } == (steps > 1))
            // Both asked about at once are answered as of one of the two times.
            let both = try await service.check(
                [CustomerQuestion(Self.customer), CustomerQuestion(Self.other)],
                besides: service.check([], consistency: .local, atLeast: nil), consistency: .local,
                atLeast: nil)
            let yes = both.results.filter { if case .answer(let answer, _) = $0 { answer.entitled } else { false } }
            #expect(yes.count == 1)
            #expect(try await service.move(Self.customer, to: Self.other, actor: nil) == Self.other)
            let state = try await service.kept(of: Self.other)
            #expect(state.takes.isEmpty && state.grants.map(\.id) == ["g"] && state.names == 2)
            let after = try await service.customer(Self.other, in: .production, atLeast: nil)
            #expect(after.grants.map(\.id) == ["g"])
        }
    }
}
