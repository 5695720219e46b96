import Customers
import EventLog
import InMemoryStore
import Mirroring
import Ownership
import PerennialTestSupport
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Synchronization
import Testing
import WireProtocol

/// A mirror answers by customer what the owners say: told of each commit, copied, or given the changes of a gap.
@Suite(.timeLimit(.minutes(10))) struct CustomerMirrorTests {
    private static let map = ShardHash(shardCount: 16)!
    private static let entitlements = ["pro", nil]

    /// What a subscriber keeps, and how it is told.
    private final class Subscriber: ChangeListener {
        let mirror: CustomerMirror
        private let entitlements: EntitlementMirror
        /// What could not be taken.
        private let failures = Atomic(0)
        var failureCount: Int { self.failures.load(ordering: .relaxed) }

        /// - Parameter staleness: unless it is said whoever waits for a processor is not stale.
        init(staleness: Duration = .seconds(3_600)) {
            self.entitlements = EntitlementMirror(map: CustomerMirrorTests.map, staleness: staleness)
            self.mirror = CustomerMirror(beside: self.entitlements)
        }

        var wantsCustomers: Bool { true }

        func hear(_ deltas: [StreamDelta], of shard: ShardID) {
            for delta in deltas {
                // As it travels.
                let bytes = Array(delta.published(in: shard).dropFirst(StreamTopic.size))
                self.take((try? StreamDelta(decoding: bytes))?.image, in: shard)
            }
        }

        func take(_ image: SubscriptionImage?, in shard: ShardID) {
            do throws(MirrorError) {
                guard let image else { throw MirrorError(.malformed, "no image") }
                try self.mirror.take(image, in: shard)
            } catch {
                self.failures.add(1, ordering: .relaxed)
            }
        }

        /// All that there is has come.
        func complete(by log: ServedLog) throws {
            try self.mirror.setRules(log.rules.rules)
            for shard in CustomerMirrorTests.map.shards {
                self.entitlements.setCurrent(shard, asOf: .now)
                self.mirror.setTellsOfCustomers(true, in: shard)
            }
        }

        func answer(
            _ question: CustomerQuestion, at moment: Moment, _ instant: ContinuousClock.Instant = .now
        ) throws -> MirroredAnswer {
            try self.mirror.answer(
                for: question.customer, question.entitlement, in: question.environment,
                at: self.entitlements.time(moment, instant))
        }

        /// These are heard of at an instant.
        func hear(of shards: some Sequence<ShardID>, at instant: ContinuousClock.Instant) {
            for shard in shards { self.entitlements.setCurrent(shard, asOf: instant) }
        }
    }

    private static func node(_ policy: TransferPolicy, _ seed: UInt64, telling listener: Subscriber) throws -> Node {
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .supported)
        var node = try Node(store: store)
        node.configuration.listener = listener
        node.configuration.customers.transfer = policy
        node.configuration.customers.tokens = seed.isMultiple(of: 2) ? .id : .registered
        node.configuration.customers.sandboxByApp[TestAppStore.bundles[0]] = .listed(
            customers: [CustomerID("a")!], tokens: [AccountToken("b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a01")!])
        return node
    }

    private static func expectSame(
        _ subscriber: Subscriber, as service: SubscriptionService, _ node: Node, _ comment: Comment
    ) async throws {
        // A job may go on between the two questions, and an owner hears of a successor by way of the outbox.
        try await eventually { try await Self.difference(subscriber, service, node) == nil }
        let difference = try await Self.difference(subscriber, service, node)
        #expect(difference == nil, comment)
        for question in Happenings.questions {
            let answer = try subscriber.answer(question, at: node.clock.now)
            #expect(
                try subscriber.mirror.isEntitled(
                    question.customer, to: question.entitlement, in: question.environment, at: node.clock.now)
                    == answer.entitled)
        }
        #expect(subscriber.failureCount == 0)
    }

    /// nil where there is none.
    private static func difference(
        _ subscriber: Subscriber, _ service: SubscriptionService, _ node: Node
    ) async throws -> String? {
        let told = try await service.check(
            Happenings.questions, besides: .nothing, consistency: .owner, atLeast: nil)
        for (question, result) in zip(Happenings.questions, told.results) {
            let (mirrored, owned) = (try subscriber.answer(question, at: node.clock.now), MirroredAnswer(result))
            if mirrored != owned { return "\(question): \(mirrored), and not \(owned)" }
        }
        return nil
    }

    /// With a copy of each shard, page by page.
    private static func copied(_ log: ServedLog, limit: Int) async throws -> Subscriber {
        let subscriber = Subscriber()
        try await Self.copy(log, to: subscriber, limit: limit)
        try subscriber.complete(by: log)
        return subscriber
    }

    private static func copy(_ log: ServedLog, to subscriber: Subscriber, limit: Int) async throws {
        for shard in Self.map.shards {
            var next: [UInt8] = []
            repeat {
                let page = try await log.snapshot(of: shard, after: next, limit: limit, withCustomers: true)
                for image in page.images { subscriber.take(image, in: shard) }
                next = page.next
            } while !next.isEmpty
        }
    }

    /// With all changes since the first, in any order, since of each the newest comes along.
    private static func caughtUp(_ log: ServedLog, using random: inout SeededGenerator) async throws -> Subscriber {
        let subscriber = Subscriber()
        for shard in Self.map.shards {
            let page = try await log.changes(of: shard, after: .start, limit: 10_000, withCustomers: true)
            for delta in page.deltas.shuffled(using: &random) { subscriber.take(delta.image, in: shard) }
        }
        try subscriber.complete(by: log)
        return subscriber
    }

    @Test(arguments: TransferPolicy.allCases, 1...8)
    func `whatever happens, a mirror says what the owners say`(_ policy: TransferPolicy, _ seed: UInt64) async throws {
        let subscriber = Subscriber()
        let node = try Self.node(policy, seed, telling: subscriber)
        try await node.run { [node] service in
            try subscriber.complete(by: service.servedLog)
            var happening = Happenings(node: node, service: service, random: SeededGenerator(seed: seed))
            for step in 0..<150 {
                try await happening.next()
                try await Self.expectSame(subscriber, as: service, node, "\(policy) \(seed) \(step)")
            }
            let copied = try await Self.copied(service.servedLog, limit: 3)
            try await Self.expectSame(copied, as: service, node, "\(policy) \(seed) copied")
            // Shards that are copied anew, once after they were empty.
            for shard in Self.map.shards { copied.mirror.beginRestart(of: shard) }
            try await Self.expectSame(copied, as: service, node, "\(policy) \(seed) doubted")
            for shard in Self.map.shards { copied.mirror.endRestart(of: shard) }
            for shard in Self.map.shards { copied.mirror.beginRestart(of: shard) }
            for shard in Self.map.shards { copied.mirror.endRestart(of: shard) }
            #expect(copied.mirror.count == 0)
            for shard in Self.map.shards { copied.mirror.beginRestart(of: shard) }
            try await Self.copy(service.servedLog, to: copied, limit: 5)
            for shard in Self.map.shards { copied.mirror.endRestart(of: shard) }
            try await Self.expectSame(copied, as: service, node, "\(policy) \(seed) copied anew")
            let caughtUp = try await Self.caughtUp(service.servedLog, using: &happening.random)
            try await Self.expectSame(caughtUp, as: service, node, "\(policy) \(seed) caught up")
            // What will be if nothing more is heard is known already.
            for hours in stride(from: Int64(1), through: 1_500, by: 97) {
                node.clock.advance(to: node.clock.now + .hours(hours))
                try await Self.expectSame(copied, as: service, node, "\(policy) \(seed) in \(hours) hours")
            }
        }
    }

    @Test func `what becomes of a stream that goes on from another one's is heard of`() async throws {
        let subscriber = Subscriber()
        let node = try Self.node(.transfer, 2, telling: subscriber)
        try await node.run { [node] service in
            try subscriber.complete(by: service.servedLog)
            // given: one that is the customer's, and one that goes on from it and says of nobody itself
            var first = TestSubscription(id: "1", from: Node.start)
            _ = try await service.record(
                signedTransaction: try node.apple.transaction(first.subscribe()), signedRenewalInfo: nil)
            try await service.link(StreamReference(id: "1"), LinkRequest(CustomerID("a")!, origin: .backend))
            var second = TestSubscription(id: "2", from: Node.start)
            var bought = second.subscribe()
            bought.period?.predecessor = "1"
            _ = try await service.record(
                signedTransaction: try node.apple.transaction(bought), signedRenewalInfo: nil)
            try await Self.expectSame(subscriber, as: service, node, "bought")
            // when: it is renewed, refunded, and somebody else's by its account
            second.wait(.days(30))
            var told = second.renew()
            node.clock.advance(to: told.signed)
            _ = try await service.ingest(signedPayload: try node.apple.sign(told))
            try await Self.expectSame(subscriber, as: service, node, "renewed")
            node.clock.advance(to: node.clock.now + .days(3))
            try await Self.expectSame(subscriber, as: service, node, "after the first period")
            told = second.refund()
            _ = try await service.ingest(signedPayload: try node.apple.sign(told))
            try await Self.expectSame(subscriber, as: service, node, "refunded")
            try await service.link(StreamReference(id: "1"), LinkRequest(CustomerID("b")!, origin: .backend))
            try await Self.expectSame(subscriber, as: service, node, "linked to another")
        }
    }

    @Test func `nobody is answered before all has come, nor by a shard that does not tell of customers`() async throws {
        let subscriber = Subscriber()
        let node = try Self.node(.keep, 1, telling: subscriber)
        let question = Happenings.questions[0]
        try await node.run { service in
            // given, when, then: nothing is known, not even the key
            #expect(throws: CustomerMirror.Refusal.notReady) { try subscriber.answer(question, at: Node.start) }
            try subscriber.mirror.setRules(service.servedLog.rules.rules)
            #expect(throws: CustomerMirror.Refusal.notReady) { try subscriber.answer(question, at: Node.start) }
            try subscriber.complete(by: service.servedLog)
            #expect(try subscriber.answer(question, at: Node.start).entitled == false)
            subscriber.mirror.setTellsOfCustomers(false, in: ShardID(rawValue: 7))
            #expect(throws: CustomerMirror.Refusal.notReady) { try subscriber.answer(question, at: Node.start) }
            // and a name that the catalog does not have is none
            try subscriber.complete(by: service.servedLog)
            var unknown = question
            unknown.entitlement = "nothing"
            #expect(throws: CustomerMirror.Refusal.unknownEntitlement) {
                try subscriber.answer(unknown, at: Node.start)
            }
        }
    }

    @Test func `a yes is as stale as what gives it, and a no as the stalest shard`() async throws {
        let subscriber = Subscriber(staleness: .seconds(5))
        let node = try Self.node(.keep, 2, telling: subscriber)
        try await node.run { [node] service in
            try subscriber.complete(by: service.servedLog)
            var life = TestSubscription(id: "1", from: Node.start)
            _ = try await service.record(
                signedTransaction: try node.apple.transaction(life.subscribe()), signedRenewalInfo: nil)
            try await service.link(StreamReference(id: "1"), LinkRequest(CustomerID("a")!, origin: .backend))
            func question(_ name: String) -> CustomerQuestion {
                CustomerQuestion(CustomerID(name)!, entitlement: "pro")
            }
            var instant = ContinuousClock.now
            var stale: [ShardID] = []
            for silent in Self.map.shards {
                // The one that is not heard of was, a while before.
                instant += .seconds(60)
                subscriber.hear(of: Self.map.shards.filter { $0 != silent }, at: instant)
                let yes = try subscriber.answer(question("a"), at: Node.start, instant)
                let no = try subscriber.answer(question("nobody"), at: Node.start, instant)
                #expect(yes.entitled && !no.entitled && no.isStale)
                if yes.isStale { stale.append(silent) }
            }
            #expect(stale.contains(Self.map.shard(of: "1")) && stale.count < 5, "\(stale)")
            instant += .seconds(60)
            subscriber.hear(of: Self.map.shards, at: instant)
            for name in ["a", "nobody"] {
                #expect(try subscriber.answer(question(name), at: Node.start, instant).isStale == false)
                #expect(try subscriber.answer(question(name), at: Node.start, instant + .seconds(6)).isStale)
            }
        }
    }

    @Test func `a key of another store is refused, and so is what cannot be read`() async throws {
        let subscriber = Subscriber()
        try await Self.node(.keep, 1, telling: subscriber).run { service in
            try subscriber.complete(by: service.servedLog)
            var rules = service.servedLog.rules.rules
            rules.key[0] ^= 1
            #expect(throws: MirrorError.self) { try subscriber.mirror.setRules(rules) }
            rules.key = [1, 2, 3]
            #expect(throws: MirrorError.self) { try subscriber.mirror.setRules(rules) }
            let key = StreamKey(
                kind: .subscription, id: "1", environment: .production, bundleID: TestAppStore.bundles[0])
            for bytes: [UInt8] in [[], [8, 1], [18, 2, 10, 255], [34, 3, 1, 2, 3]] {
                let image = SubscriptionImage(
                    key: key.bytes, version: StreamVersion(rawValue: 1), entitlement: [], customer: bytes)
                #expect(throws: MirrorError.self) { try subscriber.mirror.take(image, in: ShardID(rawValue: 0)) }
                // It is said once.
                try subscriber.mirror.take(image, in: ShardID(rawValue: 0))
                #expect(!subscriber.mirror.isReady)
                #expect(throws: CustomerMirror.Refusal.notReady) {
                    try subscriber.answer(Happenings.questions[0], at: Node.start)
                }
                // until its shard is copied anew
                subscriber.mirror.beginRestart(of: ShardID(rawValue: 0))
                subscriber.mirror.endRestart(of: ShardID(rawValue: 0))
                #expect(try subscriber.answer(Happenings.questions[0], at: Node.start).entitled == false)
            }
        }
    }
}

extension MirroredAnswer {
    /// Of an owner's.
    fileprivate init(_ result: CustomerResult) {
        guard case .answer(let answer, let standing) = result else { preconditionFailure("\(result)") }
        var isMoved = false
        if case .moved = standing { isMoved = true }
        self.init(
            entitled: answer.entitled, entitlement: answer.entitlement,
            state: answer.state.flatMap { State(rawValue: $0.name) }, productID: answer.productID,
            validUntil: answer.validUntil, rank: answer.rank, environment: answer.environment,
            isIncomplete: answer.incomplete, isMoved: isMoved, isStale: false)
    }
}
