import Customers
import EventLog
import InMemoryStore
import PerennialTestSupport
import SQLiteStore
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing
import WireProtocol

/// Links through the whole of a node: policies, order, restarts, stores.
@Suite struct CustomerLinkTests {
    private static let one = StreamReference(id: "1")

    private func node(_ policy: String? = nil, store: any EventStore = InMemoryEventStore(shardCount: 16)) throws
        -> Node
    {
        var node = try Node(store: store)
        _ = try store.raiseFeatureLevel(to: .supported)
        if let policy { node.configuration.customers.transfer = try #require(.init(rawValue: policy)) }
        return node
    }

    private func link(
        _ name: String, _ origin: LinkRequest.Origin = .backend, action: LinkRequest.Action = .link
    ) throws -> LinkRequest {
        LinkRequest(try #require(CustomerID(name)), origin: origin, action: action, actor: "shop")
    }

    private func subscribed(_ node: Node) throws -> [UInt8] {
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        return try node.apple.transaction(life.subscribe())
    }

    private func isEntitled(_ name: String, _ service: SubscriptionService) async throws -> Bool {
        let id = try #require(CustomerID(name))
        return try await service.customer(id, in: .production, atLeast: nil).entitlements.contains { $0.entitled }
    }

    @Test(arguments: [("keep", ["a"]), ("transfer", ["b"]), ("transferIfInactive", ["a"]), ("share", ["a", "b"])])
    func `the policy decides who has a purchase that runs`(_ policy: String, _ holders: [String]) async throws {
        let node = try self.node(policy)
        let posted = try self.subscribed(node)
        try await node.run { service in
            _ = try await service.record(
                signedTransaction: posted, signedRenewalInfo: nil, link: self.link("a", .post))
            do {
                try await service.link(Self.one, try self.link("b"))
            } catch let error as ServiceError {
                #expect(error.code == .linkedElsewhere)
                #expect(holders == ["a"])
            }
            for name in ["a", "b"] {
                #expect(try await self.isEntitled(name, service) == holders.contains(name), "\(name)")
            }
        }
    }

    @Test func `a purchase that is over moves where the policy says so`() async throws {
        let node = try self.node("transferIfInactive")
        let posted = try self.subscribed(node)
        try await node.run { service in
            _ = try await service.record(
                signedTransaction: posted, signedRenewalInfo: nil, link: self.link("a", .post))
            node.clock.advance(to: Node.start + .days(200))
            try await service.link(Self.one, self.link("b"))
            let view = try await service.customer(try #require(CustomerID("b")), in: .production, atLeast: nil)
            #expect(view.streams.map(\.key.id) == ["1"])
            let left = try await service.customer(try #require(CustomerID("a")), in: .production, atLeast: nil)
            #expect(left.streams.isEmpty)
        }
    }

    @Test func `links survive a restart and a replay of the log`() async throws {
        let directory = try TemporaryDirectory()
        let key = StreamKey(
            kind: .subscription, id: "1", environment: .production, bundleID: TestAppStore.bundles[0])
        for round in 0..<2 {
            let store = try Node.sqlite(in: directory)
            let node = try self.node(store: store)
            let posted = try self.subscribed(node)
            try await node.run { service in
                if round == 0 {
                    _ = try await service.record(signedTransaction: posted, signedRenewalInfo: nil)
                    try await service.link(Self.one, self.link("a"))
                }
                #expect(try await self.isEntitled("a", service))
                let events = try await service.history(Self.one).map(\.event)
                let replayed = events.reduce(into: StreamState(key: key)) { $0.apply($1) }
                #expect(replayed.leads.link?.customer == CustomerID("a"))
                #expect(events.last?.link?.actor == "shop")
                #expect(events.last?.source == .person)
            }
            try store.close()
        }
    }

    @Test func `of many who ask at once one has the purchase`() async throws {
        let node = try self.node()
        let posted = try self.subscribed(node)
        try await node.run { service in
            _ = try await service.record(signedTransaction: posted, signedRenewalInfo: nil)
            let names = (0..<16).map { "u\($0)" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in names {
                    group.addTask { try? await service.link(Self.one, self.link(name)) }
                }
                try await group.waitForAll()
            }
            var holders = 0
            for name in names where try await self.isEntitled(name, service) { holders += 1 }
            #expect(holders == 1)
            let events = try await service.history(Self.one).map(\.event.kind)
            #expect(events.count { $0 == .linked } == 1)
            #expect(events.count { $0 == .linkConflict } == StreamLeads.conflictLimit)
        }
    }

    @Test func `posts of the same facts at once are each judged by their customer`() async throws {
        let node = try self.node()
        let posted = try self.subscribed(node)
        try await node.run { service in
            let refusals = try await withThrowingTaskGroup(of: ServiceError.Code?.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        do {
                            _ = try await service.record(
                                signedTransaction: posted, signedRenewalInfo: nil, link: self.link("u\(number)", .post))
                            return nil
                        } catch let error as ServiceError {
                            return error.code
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(refusals.count { $0 == nil } == 1)
            #expect(refusals.count { $0 == .linkedElsewhere } == 7)
            let kinds = try await service.history(Self.one).map(\.event.kind)
            #expect(kinds.count { $0 == .subscribed } == 1)
            #expect(kinds.count { $0 == .linked } == 1)
            #expect(kinds.count { $0 == .linkConflict } == StreamLeads.conflictLimit)
        }
    }

    @Test func `a request to link that is sent again after another's is carried out once`() async throws {
        let node = try self.node("transfer")
        let posted = try self.subscribed(node)
        try await node.run { service in
            let key = try await service.record(signedTransaction: posted, signedRenewalInfo: nil).key
            func request(_ number: UInt8, _ name: String) throws -> Submission {
                Submission(
                    key: key,
                    bundle: FactBundle(
                        source: .person, dedupKey: [number], contentDigest: .zero, signedDate: Node.start,
                        link: try self.link(name)), evidence: nil)
            }
            #expect(try await service.record(request(1, "a")) == .recorded(StreamVersion(rawValue: 2)))
            #expect(try await service.record(request(2, "b")) == .recorded(StreamVersion(rawValue: 3)))
            #expect(try await service.record(request(1, "a")) == .duplicate(StreamVersion(rawValue: 2)))
            #expect(try await self.isEntitled("b", service))
            #expect(try await !self.isEntitled("a", service))
            #expect(try await service.history(Self.one).map(\.event.kind) == [.subscribed, .linked, .linked])
        }
    }

    @Test func `ids that look alike are different customers, each found by its own`() async throws {
        let node = try self.node("transfer")
        let posted = try self.subscribed(node)
        try await node.run { service in
            _ = try await service.record(signedTransaction: posted, signedRenewalInfo: nil)
            for name in ["caf\u{E9}", "cafe\u{301}"] {
                try await service.link(Self.one, self.link(name))
                #expect(try await self.isEntitled(name, service))
            }
            #expect(try await !self.isEntitled("caf\u{E9}", service))
        }
    }

    @Test(arguments: [("nobody", []), ("listed", ["u"]), ("anybody", ["u", "v"])])
    func `what was bought in Sandbox counts in Production where the app's policy says so`(
        _ policy: String, _ counted: [String]
    ) async throws {
        var node = try self.node()
        let policies: [String: SandboxPolicy] = [
            "listed": .listed(customers: [try #require(CustomerID("u"))], tokens: []), "anybody": .anybody,
        ]
        node.configuration.customers.sandboxByApp[TestAppStore.bundles[0]] = policies[policy]
        let posts = try ["u": "1", "v": "2"].mapValues { id in
            var life = TestSubscription(id: id, from: Node.start - .days(1))
            var bought = life.subscribe()
            bought.environment = .sandbox
            return try node.apple.transaction(bought)
        }
        try await node.run { service in
            for (name, post) in posts {
                _ = try await service.record(
                    signedTransaction: post, signedRenewalInfo: nil, link: self.link(name, .post))
                #expect(try await self.isEntitled(name, service) == counted.contains(name))
                let id = try #require(CustomerID(name))
                let sandbox = try await service.customer(id, in: .sandbox, atLeast: nil)
                #expect(sandbox.entitlements.contains { $0.entitled })
                let production = try await service.customer(id, in: .production, atLeast: nil)
                let environments = production.entitlements.filter(\.entitled).map(\.environment)
                #expect(environments.allSatisfy { $0 == .sandbox }, "the answer says where it comes from")
            }
        }
    }

    @Test func `before every node can read them, links are refused and say what to do`() async throws {
        let node = try Node()
        let posted = try self.subscribed(node)
        try await node.run { service in
            _ = try await service.record(
                signedTransaction: posted, signedRenewalInfo: nil, link: self.link("a", .post))
            let refusal = await #expect(throws: ServiceError.self) { try await service.link(Self.one, self.link("a")) }
            #expect(refusal?.code == .olderNodes)
            #expect(refusal?.message.contains("cluster finalize") == true)
        }
    }
}
