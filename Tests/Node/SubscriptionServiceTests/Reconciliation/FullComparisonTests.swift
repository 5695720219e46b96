import AppStore
import Clustering
import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import Reconciliation
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// What somebody asks one node to compare, and all nodes of its store do.
@Suite(.timeLimit(.minutes(10))) struct FullComparisonTests {
    private static let shardCount = 16
    private static let ids = (0..<80).map { "200000000000\(1_000 + $0)" }
    private static let map = ShardHash(shardCount: Self.shardCount)!

    private let store = InMemoryEventStore(shardCount: Self.shardCount)
    private let signer: TestAppStore

    init() throws { self.signer = try TestAppStore() }

    /// - Parameter apple: whom this node asks, and no other.
    private func node(_ name: String, _ shards: Range<UInt16>, asking apple: ScriptedApple) throws -> Node {
        try Node(named: name, assigned: shards, store: self.store, apple: self.signer).asking(apple)
    }

    /// What was pushed of each subscription, and what is true of it now: every tenth was refunded.
    private func lives() -> (told: [TestNotification], truth: [String: TestNotification]) {
        var told: [TestNotification] = []
        var truth: [String: TestNotification] = [:]
        for (index, id) in Self.ids.enumerated() {
            var life = TestSubscription(id: id, from: Node.start - .days(1))
            let bought = life.subscribe()
            told.append(bought)
            life.wait(.minutes(1))
            truth[id] = index.isMultiple(of: 10) ? life.refund() : bought
        }
        return (told, truth)
    }

    private func answer(
        _ request: ServerAPIRequest, by truth: [String: TestNotification]
    ) -> ServerAPIAnswer {
        guard request.path.contains("/subscriptions/") else {
            return ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#)
        }
        let id = request.path.split(separator: "/").last.map(String.init) ?? ""
        return truth[id].flatMap { try? self.signer.statuses($0) } ?? ScriptedApple.notFound
    }

    private func ids(asked apple: ScriptedApple) -> [String] {
        apple.requests(to: "/subscriptions/").map { String($0.path.split(separator: "/").last ?? "") }.sorted()
    }

    private func end(of job: ReconciliationJob, on service: SubscriptionService) async throws -> ReconciliationJob {
        await eventually { (try? service.job(job.id).state) != .running }
        return try service.job(job.id)
    }

    @Test func everySubscriptionIsAskedAboutOnceAndByTheOwnerOfItsShard() async throws {
        // given
        let (told, truth) = self.lives()
        let payloads = try told.map(self.signer.sign)
        let apples = [ScriptedApple(), ScriptedApple()]
        for apple in apples { apple.answers { self.answer($0, by: truth) } }
        let second = try self.node("b", 8..<16, asking: apples[1])
        try await self.node("a", 0..<8, asking: apples[0]).run { one in
            try await second.run { two in
                for payload in payloads { _ = try await one.ingest(signedPayload: payload) }
                await eventually { self.store.inboxDepth().waiting == 0 }
                // when: one node is asked
                let job = try await self.end(of: one.startReconciliation(), on: one)
                // then: it tells of all, and each has asked about its own
                #expect(job.state == .done, "\(job.error ?? "")")
                #expect(job.progress.checked == Self.ids.count)
                #expect(job.progress.repaired == Self.ids.count / 10)
                let own = Self.ids.filter { Self.map.shard(of: $0).rawValue < 8 }
                let others = Self.ids.filter { Self.map.shard(of: $0).rawValue >= 8 }
                #expect(self.ids(asked: apples[0]) == own.sorted())
                #expect(self.ids(asked: apples[1]) == others.sorted())
                #expect(try one.reconciliationReport().checked == own.count)
                #expect(try two.reconciliationReport().checked == others.count)
                for (index, id) in Self.ids.enumerated() {
                    let view = try await one.view(id)
                    #expect(view.snapshot?.state == (index.isMultiple(of: 10) ? .revoked : .subscribed))
                }
            }
        }
    }

    @Test func whoTakesAShardMeanwhileGoesOnWhereItsLastOwnerStopped() async throws {
        // given: one node that owns all, and an App Store that lets it wait
        let (told, truth) = self.lives()
        let payloads = try told.map(self.signer.sign)
        let apples = [ScriptedApple(), ScriptedApple()]
        let door = Door()
        apples[0].answers { request in
            if request.path.contains("/subscriptions/") { await eventually { door.isOpen.load(ordering: .relaxed) } }
            return self.answer(request, by: truth)
        }
        apples[1].answers { self.answer($0, by: truth) }
        let first = try Node(named: "a", store: self.store, apple: self.signer).asking(apples[0])
        let second = try Node(named: "b", store: self.store, apple: self.signer).asking(apples[1])
        try await first.run { one in
            await eventually { self.owned(by: "a").count == Self.shardCount }
            for payload in payloads { _ = try await one.ingest(signedPayload: payload) }
            let job = try one.startReconciliation()
            await eventually { !self.ids(asked: apples[0]).isEmpty }
            // when: another takes its share
            try await second.run { _ in
                await eventually {
                    let shares = (self.owned(by: "a").count, self.owned(by: "b").count)
                    return shares.0 + shares.1 == Self.shardCount && min(shares.0, shares.1) >= 7
                }
                let given = self.owned(by: "b")
                door.isOpen.store(true, ordering: .relaxed)
                let end = try await self.end(of: job, on: one)
                // then: nobody is left out, or asked about twice
                #expect(end.state == .done, "\(end.error ?? "")")
                #expect(end.progress.checked == Self.ids.count)
                let asked = apples.map { self.ids(asked: $0) }
                #expect((asked[0] + asked[1]).sorted() == Self.ids.sorted())
                // and of what it gave away the first has asked about no more than it was just asking about
                let shards = asked[0].map { Self.map.shard(of: $0) }.filter(given.contains)
                let strange = Dictionary(grouping: shards) { $0 }
                #expect(strange.values.allSatisfy { $0.count <= 2 }, "\(strange.mapValues(\.count))")
                #expect(!asked[1].isEmpty)
            }
        }
    }

    @Test func anOwnerOfAnOlderVersionIsNamedAndNotWaitedFor() async throws {
        // given: one who has no function with that number
        let apple = ScriptedApple()
        apple.answers { self.answer($0, by: [:]) }
        let later = try self.node("b", 8..<16, asking: apple)
        let older = try ClusterNode(
            configuration: try #require(later.configuration.cluster), store: self.store, contract: CallContract(),
            logger: later.log.logger)
        let system = ClusterSystem(shardMap: Self.map, transport: older)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await older.run(serving: system) }
            let record = try #require(await older.registration())
            try self.store.register(record)
            let owner = ShardRecord.Owner(node: record.id, incarnation: record.incarnation)
            _ = self.store.claim(ShardClaim((8..<16).map(ShardID.init(rawValue:)), for: owner))
            try await self.node("a", 0..<8, asking: apple).run { one in
                // when
                let job = try await self.end(of: one.startReconciliation(), on: one)
                // then
                #expect(job.state == .failed)
                #expect(job.error?.contains("is of an older version") == true, "\(job.error ?? "")")
            }
            group.cancelAll()
        }
    }

    private final class Door: Sendable {
        let isOpen = Atomic(false)
    }

    private func owned(by name: String) -> Set<ShardID> {
        Set(self.store.view().shards.filter { $0.owner?.node.rawValue == name }.map(\.shard))
    }
}
