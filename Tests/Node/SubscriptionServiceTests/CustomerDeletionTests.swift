import Customers
import EventLog
import InMemoryStore
import Jobs
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Queries
import SQLiteStore
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing
import WireProtocol

/// Customers who are forgotten, through the whole of a node.
@Suite(.timeLimit(.minutes(10))) struct CustomerDeletionTests: CustomerSuite {
    static let token = "a1b2c3d4-0000-4000-8000-000000000001"
    private static let account = "704100000000000001"
    static let other = CustomerID("u-2")!

    func node(
        _ store: any EventStore, tokens: TokenPolicy = .id, transfer: TransferPolicy = .keep
    ) throws -> Node {
        _ = try store.raiseFeatureLevel(to: .supported)
        var node = try Node(store: store)
        (node.configuration.customers.tokens, node.configuration.customers.transfer) = (tokens, transfer)
        return node
    }

    static func signed(_ node: Node, _ notification: TestNotification) throws -> [UInt8] {
        var notification = notification
        notification.period?.appAccountToken = Self.token.uppercased()
        notification.period?.appTransactionID = Self.account
        return try node.apple.sign(notification)
    }

    /// Waits until a deletion has been done.
    static func delete(
        _ customer: CustomerID, _ node: Node, _ service: SubscriptionService
    ) async throws -> Job {
        let job = try await service.delete(customer, actor: "admin")
        #expect(job.kind == .erase && job.actor == "admin")
        // By then every node knows.
        node.clock.advance(to: node.clock.now + .minutes(1))
        try await eventually { try await service.storedJob(job.id).state != .running }
        return try await service.storedJob(job.id)
    }

    @Test func `nothing of a customer is left, and what is bought goes on by its own id`() async throws {
        let customer = CustomerID("customer-who-leaves")!
        let texts = [customer.rawValue, Self.token, Self.account, "gold-plan", "because-of-them"]
        let directory = try TemporaryDirectory()
        let database = try PostgresServer.shared().makeDatabase()
        let stores: [any EventStore] = [
            InMemoryEventStore(shardCount: 16), try Node.sqlite(in: directory), try Node.postgres(in: database),
        ]
        for store in stores {
            let node = try self.node(store, tokens: .registered)
            var life = TestSubscription(id: "1", from: Node.start)
            let first = life.subscribe()
            let renewals = (0..<3).map { _ in life.renew() }
            try await node.run { service in
                let bought = try Self.signed(node, first)
                _ = try await service.ingest(signedPayload: bought)
                try await service.link(StreamReference(id: "1"), LinkRequest(customer, origin: .backend))
                try await service.register(
                    [.token(AccountToken(Self.token)!), .account(Self.account)], for: customer, actor: "shop")
                try await service.change(CustomerRequest(customer, .set(["plan": .text("gold-plan")])))
                let grant = Grant(
                    id: "order-7", entitlement: "pro", reason: "because-of-them", source: "web", from: Node.start,
                    until: Node.start + .days(60), actor: "shop")
                try await service.change(
                    CustomerRequest(customer, .grant(grant, startsNow: true, replaces: false), actor: "shop"))
                let rest = Grant(
                    id: "order-8", entitlement: "pro", reason: "of somebody else", source: "web", from: Node.start,
                    until: nil, actor: "shop")
                try await service.change(
                    CustomerRequest(Self.other, .grant(rest, startsNow: true, replaces: false), actor: "shop"))
                // Somebody else wanted it.
                await #expect(throws: ServiceError.self) {
                    try await service.link(StreamReference(id: "1"), LinkRequest(Self.other, origin: .backend))
                }
                try await eventually { try await store.inboxDepth().waiting == 0 }
                for text in texts { #expect(try await !StoreTraces.find([text], in: store).isEmpty, "\(text)") }
                // A payload that was set aside, and one of somebody else.
                let aside = [bought, try node.apple.sign(first)]
                for (number, raw) in aside.enumerated() {
                    try await store.quarantine(
                        QuarantinedPayload(
                            digest: [UInt8(number)], reason: "unknownApp", detail: "", receivedAt: 1, raw: raw))
                }

                let job = try await Self.delete(customer, node, service)
                #expect(job.state == .done && job.message == nil, "\(job.message ?? "")")
                #expect(try await StoreTraces.find(texts, in: store) == [])
                #expect(try await store.quarantined(after: 0, limit: 9).map(\.raw) == [aside[1]])
                let key = try IdentifierKey(of: store)
                #expect(
                    try await store.streams(for: [key.sought(customer), key.sought(AccountToken(Self.token)!)]) == [
                        [], [],
                    ])
                // The purchase answers by its own id, and what it says of others stays.
                #expect(try await service.check("1", entitlement: "pro")?.entitled == true)
                let view = try await service.view("1")
                #expect(view.snapshot?.customerIDs == [] || view.snapshot?.customerIDs == nil)
                #expect(try await service.customer(Self.other, in: .production, atLeast: nil).conflicts.count == 1)
                // Nobody is asked about.
                let gone = try await service.customer(customer, in: .production, atLeast: nil, withHistory: true)
                #expect(!gone.isKnown && gone.history == [] && gone.grants.isEmpty && gone.attributes.isEmpty)
                #expect(gone.entitlements.allSatisfy { !$0.entitled })
                let kinds = try await service.history(StreamReference(id: "1")).map(\.event.kind)
                #expect(kinds.filter { $0 == .erased }.count == 1 && kinds.contains(.linked))

                // Three renewals later still not, and the first notification once more says nothing new.
                for renewal in renewals {
                    node.clock.advance(to: renewal.signed)
                    _ = try await service.ingest(signedPayload: try Self.signed(node, renewal))
                }
                let again = try await service.ingest(signedPayload: bought)
                #expect(again.isDuplicate)
                #expect(try await service.check("1", entitlement: "pro")?.entitled == true)
                #expect(try await StoreTraces.find(texts, in: store) == [])
            }
            // and: what the log comes to is what the rows say
            try await Self.replays(store)
            try await node.run { service in
                let verdict = try await service.check("1", entitlement: "pro")
                let view = try await service.customer(customer, in: .production, atLeast: nil)
                #expect(verdict?.entitled == true && !view.isKnown)
            }
            // and: what was overwritten is overwritten in the files too
            try store.close()
        }
        #expect(try StoreTraces.find(texts, inFolder: directory.path("")) == [])
        // Statistics hold samples of what was there when they were made.
        try database.query("VACUUM (FULL, ANALYZE)")
        try database.query("CHECKPOINT")
        #expect(try StoreTraces.find(["order-8"], inFolder: database.folder) != [], "what is there is found")
        #expect(try StoreTraces.find(texts, inFolder: database.folder) == [])
        try database.drop()
    }

    /// Every state equals a replay of its events.
    static func replays(_ store: any EventStore) async throws {
        for shard in store.identity.shards {
            for row in try await store.streams(in: shard, after: nil, limit: 10_000) {
                let key = try #require(StreamKey(bytes: row.key))
                let events = try await store.history(of: key, in: shard)
                if let kept = try await store.loadPublisherState(row, key: key, in: shard) {
                    var replayed = try #require(PublisherState(of: key.kind))
                    for (at, event) in events { replayed.apply(event, at: at) }
                    #expect(kept == replayed, "\(key.kind)")
                } else {
                    var replayed = StreamState(key: key)
                    for (_, event) in events { replayed.apply(event) }
                    let state = try await store.loadState(row, key: key, in: shard)
                    #expect(state.leads == replayed.leads && state.facts == replayed.facts, "\(key.kind)")
                }
            }
        }
    }

    @Test func `while it goes on the id is refused, and after it the id is of a new customer`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            try await service.change(Self.grant("g"))
            #expect(try await Self.isEntitled(service))
            let job = try await service.delete(Self.customer, actor: nil)
            // Answers have changed, and the job waits until every node knows.
            #expect(try await !Self.isEntitled(service))
            #expect(try await service.storedJob(job.id).state == .running)
            #expect(await Self.refusal(of: Self.grant("g"), service) == .customerDeleted)
            #expect(try await service.delete(Self.customer, actor: nil).id == job.id, "there is one already")
            let moved = await Self.code { () throws(ServiceError) in
                _ = try await service.move(Self.other, to: Self.customer, actor: nil)
            }
            let registered = await Self.code { () throws(ServiceError) in
                try await service.register([.account(Self.account)], for: Self.customer, actor: nil)
            }
            let cancelled = await Self.code { () throws(ServiceError) in _ = try await service.cancelJob(job.id) }
            #expect([moved, registered, cancelled] == [.customerDeleted, .customerDeleted, .invalidRequest])

            node.clock.advance(to: node.clock.now + .minutes(1))
            try await eventually { try await service.storedJob(job.id).state == .done }
            #expect(try await !Self.view(service).isKnown)
            #expect(await Self.refusal(of: Self.grant("g"), service) == nil)
            #expect(try await Self.isEntitled(service))
            #expect(try await Self.view(service).grants.count == 1)
        }
    }

    @Test func `an identifier that somebody registers again leads from what is bought since`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store, tokens: .registered)
        let token = RegistrableIdentifier.token(AccountToken(Self.token)!)
        try await node.run { service in
            try await service.register([token], for: Self.customer, actor: nil)
            var early = TestSubscription(id: "1", from: node.clock.now)
            _ = try await service.ingest(signedPayload: try Self.signed(node, early.subscribe()))
            #expect(try await Self.isEntitled(service))
            _ = try await Self.delete(Self.customer, node, service)
            // Bought before anybody has registered it again.
            var between = TestSubscription(id: "2", from: node.clock.now)
            _ = try await service.ingest(signedPayload: try Self.signed(node, between.subscribe()))
            node.clock.advance(to: node.clock.now + .minutes(1))
            try await service.register([token], for: Self.other, actor: nil)
            node.clock.advance(to: node.clock.now + .minutes(1))
            var late = TestSubscription(id: "3", from: node.clock.now)
            _ = try await service.ingest(signedPayload: try Self.signed(node, late.subscribe()))
            let view = try await service.customer(Self.other, in: .production, atLeast: nil)
            #expect(view.streams.map(\.key.id) == ["3"])
        }
    }

    @Test func `others keep what is theirs`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store, transfer: .share)
        try await node.run { service in
            for id in ["1", "2"] {
                var life = TestSubscription(id: id, from: Node.start)
                var bought = life.subscribe()
                // The token is another customer's, who shares this one.
                bought.period?.appAccountToken = id == "2" ? Self.token : nil
                _ = try await service.ingest(signedPayload: try node.apple.sign(bought))
            }
            let byToken = CustomerID(Self.token)!
            try await service.change(CustomerRequest(byToken, .set(["plan": .text("gold")])))
            for customer in [Self.other, Self.customer] {
                try await service.link(StreamReference(id: "1"), LinkRequest(customer, origin: .backend))
            }
            func ids(_ customer: CustomerID) async throws -> [String] {
                try await service.customer(customer, in: .production, atLeast: nil).streams.map(\.key.id).sorted()
            }
            try await service.link(StreamReference(id: "2"), LinkRequest(Self.customer, origin: .backend))
            #expect(try await ids(Self.other) == ["1"])
            #expect(try await ids(Self.customer) == ["1", "2"])
            #expect(try await ids(byToken) == ["2"])
            _ = try await Self.delete(Self.customer, node, service)
            #expect(try await ids(Self.other) == ["1"])
            #expect(try await ids(Self.customer) == [])
            #expect(try await ids(byToken) == ["2"])
            let kept = try await service.customer(byToken, in: .production, atLeast: nil)
            #expect(kept.attributes == ["plan": .text("gold")])
        }
    }

    @Test func `who was moved there is forgotten too, and who has moved away is not deleted`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        let anonymous = CustomerID("anonymous-device-7")!
        try await node.run { service in
            var life = TestSubscription(id: "1", from: Node.start)
            _ = try await service.ingest(signedPayload: try node.apple.sign(life.subscribe()))
            try await service.link(StreamReference(id: "1"), LinkRequest(anonymous, origin: .backend))
            _ = try await service.move(anonymous, to: Self.customer, actor: nil)
            #expect(try await Self.isEntitled(service))
            do throws(ServiceError) {
                _ = try await service.delete(anonymous, actor: nil)
                Issue.record("a customer who has been moved is somebody else")
            } catch {
                #expect(error.code == .customerMoved)
            }
            _ = try await Self.delete(Self.customer, node, service)
            #expect(try await StoreTraces.find([anonymous.rawValue], in: store) == [])
            for customer in [anonymous, Self.customer] {
                let view = try await service.customer(customer, in: .production, atLeast: nil)
                #expect(!view.isKnown && view.movedTo == nil && view.streams.isEmpty)
            }
            #expect(try await service.check("1", entitlement: "pro")?.entitled == true)
        }
    }

    /// Apple signs the same anew for every answer, and devices post at every launch.
    @Test func `what is signed anew is no news`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store)
        try await node.run { service in
            let token = RegistrableIdentifier.token(AccountToken(Self.token)!)
            try await service.register([token, .account(Self.account)], for: Self.customer, actor: nil)
            var life = TestSubscription(id: "1", from: Node.start)
            var bought = life.subscribe()
            bought.period?.appAccountToken = Self.token
            bought.period?.appTransactionID = Self.account
            _ = try await service.record(signedTransaction: try node.apple.transaction(bought), signedRenewalInfo: nil)
            _ = try await Self.delete(Self.customer, node, service)
            let count = try await service.history(StreamReference(id: "1")).count
            for minute in 1...5 as ClosedRange<Int64> {
                bought.signed = node.clock.now + .minutes(minute - 10)
                _ = try await service.record(
                    signedTransaction: try node.apple.transaction(bought), signedRenewalInfo: nil)
            }
            #expect(try await service.history(StreamReference(id: "1")).count == count)
            #expect(try await service.check("1", entitlement: "pro")?.entitled == true)
            #expect(try await StoreTraces.find([Self.token, Self.account], in: store) == [])
        }
        try await Self.replays(store)
    }

    @Test func `who has a purchase by its token keeps it when somebody goes who shared it`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store, transfer: .share)
        let byToken = CustomerID(Self.token)!
        try await node.run { service in
            var life = TestSubscription(id: "1", from: Node.start)
            _ = try await service.ingest(signedPayload: try Self.signed(node, life.subscribe()))
            try await service.link(StreamReference(id: "1"), LinkRequest(Self.customer, origin: .backend))
            _ = try await Self.delete(Self.customer, node, service)
            node.clock.advance(to: max(node.clock.now, life.end))
            _ = try await service.ingest(signedPayload: try Self.signed(node, life.renew()))
            let view = try await service.customer(byToken, in: .production, atLeast: nil)
            #expect(view.streams.map(\.key.id) == ["1"])
            #expect(try await StoreTraces.find([Self.customer.rawValue], in: store) == [])
        }
    }

    @Test func `a link of somebody else is not taken back to who is gone`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store, transfer: .transfer)
        try await node.run { service in
            var life = TestSubscription(id: "1", from: Node.start)
            _ = try await service.ingest(signedPayload: try node.apple.sign(life.subscribe()))
            for customer in [Self.customer, Self.other] {
                try await service.link(StreamReference(id: "1"), LinkRequest(customer, origin: .backend))
            }
            _ = try await Self.delete(Self.customer, node, service)
            let view = try await service.customer(Self.other, in: .production, atLeast: nil, withHistory: true)
            #expect(view.streams.map(\.key.id) == ["1"])
            let linked = try #require(view.history?.first { $0.event.kind == .linked })
            let undone = await Self.code { () throws(ServiceError) in
                try await service.undo(linked.id, of: Self.other, actor: nil, reason: nil)
            }
            #expect(undone == .nothingToUndo)
        }
        try await Self.replays(store)
    }

    @Test func `a token that somebody else has registered stays theirs, also where it is the id of who goes`()
        async throws
    {
        let store = InMemoryEventStore(shardCount: 16)
        let node = try self.node(store, tokens: .registered)
        let id = CustomerID(Self.token)!
        try await node.run { service in
            try await service.change(CustomerRequest(id, .set(["plan": .text("gold")])))
            try await service.register([.token(AccountToken(Self.token)!)], for: Self.other, actor: nil)
            var life = TestSubscription(id: "1", from: Node.start)
            let (bought, renewed) = (life.subscribe(), life.renew())
            _ = try await service.ingest(signedPayload: try Self.signed(node, bought))
            let job = try await Self.delete(id, node, service)
            #expect(job.state == .done && job.changed == 1)
            node.clock.advance(to: renewed.signed)
            _ = try await service.ingest(signedPayload: try Self.signed(node, renewed))
            let view = try await service.customer(Self.other, in: .production, atLeast: nil)
            #expect(view.streams.map(\.key.id) == ["1"])
            #expect(view.identifiers == [.token(AccountToken(Self.token)!)])
        }
    }

    @Test func `anybody may be deleted, also somebody whom nothing names`() async throws {
        let node = try self.node(InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            for _ in 0..<2 {
                let job = try await Self.delete(Self.customer, node, service)
                #expect(job.state == .done && job.changed == 0)
            }
        }
    }

    @Test func `nothing is deleted before the store's level lets it`() async throws {
        let node = try Node(store: InMemoryEventStore(shardCount: 16))
        try await node.run { service in
            let code = await Self.code { () throws(ServiceError) in
                _ = try await service.delete(Self.customer, actor: nil)
            }
            #expect(code == .olderNodes)
        }
    }
}

extension IngestOutcome {
    fileprivate var isDuplicate: Bool { if case .duplicate = self { true } else { false } }
}
