import Clustering
import Dispatch
import Entitlements
import EventLog
import InMemoryStore
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing
import WireProtocol

/// Two nodes of one store, each with half of its shards: either takes notifications and questions for all.
@Suite(.timeLimit(.minutes(10))) struct TwoNodeTests {
    private static let shardCount: UInt16 = 16
    private let store = InMemoryEventStore(shardCount: Int(Self.shardCount))
    private let apple: TestAppStore

    init() throws { self.apple = try TestAppStore() }

    private func node(
        _ name: String, _ shards: Range<UInt16>, store: (any EventStore)? = nil
    ) throws -> Node {
        try Node(named: name, assigned: shards, store: store ?? self.store, apple: self.apple)
    }

    /// - Parameter body: gets both services.
    private func run(
        _ body: @escaping @Sendable (SubscriptionService, SubscriptionService) async throws -> Void
    ) async throws {
        let second = try self.node("b", 8..<Self.shardCount)
        try await self.node("a", 0..<8).run { one in
            try await second.run { two in
                // The first call of each waits for its connection.
                for service in [one, two] { await eventually { await Self.reachesOwners(service) } }
                try await body(one, two)
            }
        }
    }

    private static func reachesOwners(_ service: SubscriptionService) async -> Bool {
        let requests = Self.ids.map { CheckRequest(stream: StreamReference(id: $0)) }
        let results = try? await service.check(requests, consistency: .owner, atLeast: nil).results
        return results.map { !$0.contains(.refused(.notOwner)) } ?? false
    }

    private static let ids = (0..<40).map { "200000000000\(1_000 + $0)" }

    private func subscribe(_ id: String) throws -> [UInt8] {
        var life = TestSubscription(id: id, from: Node.start - .days(1))
        return try self.apple.sign(life.subscribe())
    }

    @Test func eitherTakesNotificationsAndQuestionsForEveryShard() async throws {
        try await self.run { one, two in
            // when: they come in turn, whoever owns the shard
            for (index, id) in Self.ids.enumerated() {
                let payload = try self.subscribe(id)
                let outcome = try await (index.isMultiple(of: 2) ? one : two).ingest(signedPayload: payload)
                #expect(outcome == .recorded(StreamVersion(rawValue: 1)))
                let again = try await (index.isMultiple(of: 3) ? one : two).ingest(signedPayload: payload)
                #expect(again == .duplicate(StreamVersion(rawValue: 1)))
            }
            // then: they say the same of each
            for id in Self.ids {
                let views = try await [one.view(id), two.view(id)]
                #expect(views[0].snapshot?.state == .subscribed)
                #expect(views[0].snapshot == views[1].snapshot)
                #expect(views[0].token == views[1].token)
                #expect(try await one.history(StreamReference(id: id)) == two.history(StreamReference(id: id)))
            }
            #expect(try await one.changes(after: nil, limit: 1_000).events.count == Self.ids.count)
            #expect(try await two.changes(after: nil, limit: 1_000).events.count == Self.ids.count)
            #expect(self.store.statistics().events == Self.ids.count)
        }
    }

    @Test func aBatchOfChecksIsAnsweredByTheOwners() async throws {
        try await self.run { one, two in
            // given: every other one is known
            for id in Self.ids.enumerated().filter({ $0.offset.isMultiple(of: 2) }).map(\.element) {
                _ = try await one.ingest(signedPayload: self.subscribe(id))
            }
            let requests = Self.ids.map { CheckRequest(stream: StreamReference(id: $0), entitlement: "pro") }
            for consistency in Consistency.allCases {
                // when
                let first = try await one.check(requests, consistency: consistency, atLeast: nil)
                let second = try await two.check(requests, consistency: consistency, atLeast: first.token)
                // then
                #expect(first.results == second.results)
                #expect(first.token == second.token)
                for (index, result) in first.results.enumerated() {
                    guard case .verdict(let verdict) = result else {
                        Issue.record("a check was refused")
                        continue
                    }
                    #expect(verdict.entitled == index.isMultiple(of: 2))
                    #expect(verdict.reason == (index.isMultiple(of: 2) ? nil : .unknownSubscription))
                }
            }
        }
    }

    @Test func `a consumable never entitles, whichever node is asked`() async throws {
        try await self.run { one, two in
            // given: consumables in the shards of both
            for (number, id) in Self.ids.enumerated() {
                _ = try await one.record(Self.consumable(id, number: number))
            }
            let requests = Self.ids.flatMap { id in
                ["pro", nil].map { CheckRequest(stream: StreamReference(kind: .purchase, id: id), entitlement: $0) }
            }
            for (service, consistency) in [(one, Consistency.owner), (two, .owner), (one, .local), (two, .durable)] {
                // when
                let response = try await service.check(requests, consistency: consistency, atLeast: nil)
                // then
                for result in response.results {
                    guard case .verdict(let verdict) = result else {
                        Issue.record("a check was refused")
                        continue
                    }
                    #expect(!verdict.entitled && verdict.validUntil == nil)
                    #expect(verdict.state == .owned && verdict.code == .nothing)
                    #expect(verdict.reason == .consumable)
                }
            }
        }
    }

    /// Of a product that the catalog lists.
    private static func consumable(_ id: String, number: Int) -> Submission {
        let digest = PayloadDigest((0..<32).map { UInt8(truncatingIfNeeded: number + $0) })
        let key = StreamKey(
            kind: .purchase, id: id, environment: .production, bundleID: BundleID(rawValue: "com.example.app"))
        var info = TransactionInfo(
            originalTransactionID: OriginalTransactionID(rawValue: id), transactionID: TransactionID(rawValue: id),
            bundleID: key.bundleID, environment: key.environment, signedDate: Node.start, digest: digest)
        (info.productID, info.productType) = ("pro.monthly", "Consumable")
        info.purchaseDate = Node.start
        let bundle = FactBundle(
            facts: Facts(transactions: [info]), source: .client, dedupKey: digest.bytes, contentDigest: digest,
            signedDate: Node.start)
        return Submission(key: key, bundle: bundle, evidence: nil)
    }

    @Test func anOwnerThatHasNotHeardOfItsCommitDoesNotAnswerForIt() async throws {
        // given: a commit that is in the store, and of which the owner hears later
        let block = DispatchSemaphore(value: 0)
        let store = ScriptedStore(
            self.store,
            [
                { batches, store in
                    let outcomes = ScriptedStore.commit(batches, to: store)
                    block.wait()
                    return outcomes
                }
            ])
        let reader = try self.node("b", 0..<0)
        let payload = try self.subscribe("1")
        try await self.node("a", 0..<Self.shardCount, store: store).run { owner in
            try await reader.run { reader in
                async let recorded = owner.ingest(signedPayload: payload)
                await eventually { self.store.statistics().events == 1 }
                let seen = try await reader.changes(after: nil, limit: 1)
                #expect(seen.events.count == 1)
                // when
                let question = [CheckRequest(stream: StreamReference(id: "1"))]
                let early = await #expect(throws: ServiceError.self) {
                    try await owner.check(question, consistency: .local, atLeast: seen.next)
                }
                // then
                #expect(early?.code == .frozen)
                #expect(early?.retryable == true)
                block.signal()
                _ = try await recorded
                let late = try await owner.check(question, consistency: .local, atLeast: seen.next)
                guard case .verdict(let verdict) = late.results.first else {
                    Issue.record("a check was refused")
                    return
                }
                #expect(verdict.entitled)
            }
        }
    }

    @Test func originalsCrossWholeAlsoToAnOwnerThatHasNotMetTheirChain() async throws {
        var lives = Self.ids.map { TestSubscription(id: $0, from: Node.start - .days(100)) }
        let rounds = try (0..<3).map { round in
            try lives.indices.map { try self.apple.sign(round == 0 ? lives[$0].subscribe() : lives[$0].renew()) }
        }
        try await self.node("a", 0..<8).run { one in
            // given: the owner of the other half has gone, and another run of it has come, which has met nobody
            for round in rounds.indices {
                try await self.node("b", 8..<Self.shardCount).run { _ in
                    let questions = Self.ids.map { CheckRequest(stream: StreamReference(id: $0)) }
                    await eventually {
                        let answer = try? await one.check(questions, consistency: .owner, atLeast: nil)
                        return answer.map { !$0.results.contains(.refused(.notOwner)) } ?? false
                    }
                    for (index, id) in Self.ids.enumerated() {
                        // when
                        let outcome = try await one.ingest(signedPayload: rounds[round][index])
                        // then
                        #expect(outcome == .recorded(StreamVersion(rawValue: Int64(round) + 1)))
                        let page = try await one.events(
                            of: StreamReference(id: id), after: nil, limit: 10, evidence: true)
                        #expect(
                            page.events.map(\.evidence)
                                == rounds[...round].map {
                                    .kept([EvidencePart(name: .signedPayload, jws: $0[index])])
                                })
                    }
                }
            }
        }
    }

    @Test func whatTheOwnerRefusesCrosses() async throws {
        try await self.run { one, two in
            let error = await #expect(throws: ServiceError.self) { try await one.view("42") }
            #expect(error?.code == .unknownSubscription)
            for service in [one, two] {
                let error = await #expect(throws: ServiceError.self) {
                    try await service.check([], consistency: .local, atLeast: "nonsense")
                }
                #expect(error?.code == .invalidCursor)
            }
        }
    }

    @Test func withoutItsOwnerAShardIsRefusedAndTheOthersAreNot() async throws {
        // given: the other node has gone
        let payloads = try Self.ids.map { try self.subscribe($0) }
        try await self.node("b", 8..<Self.shardCount).run { _ in }
        var node = try self.node("a", 0..<8)
        node.configuration.cluster?.callTimeout = .milliseconds(200)
        try await node.run { [node] service in
            var recorded = 0
            var refused = 0
            for (id, payload) in zip(Self.ids, payloads) {
                // when
                do {
                    _ = try await service.check(
                        [CheckRequest(stream: StreamReference(id: id))], consistency: .owner, atLeast: nil)
                    _ = try await service.ingest(signedPayload: payload)
                    recorded += 1
                } catch let error as ServiceError {
                    // then
                    #expect(error.code == .notOwner)
                    #expect(error.retryable)
                    refused += 1
                }
            }
            #expect(recorded > 0)
            #expect(refused > 0)
            // and of a batch, those that the other one would answer
            let requests = Self.ids.map { CheckRequest(stream: StreamReference(id: $0)) }
            for consistency in Consistency.allCases where consistency != .local {
                let batch = try await service.check(requests, consistency: consistency, atLeast: nil)
                #expect(batch.results.filter { $0 == .refused(.notOwner) }.count == refused)
                let entitled = batch.results.filter { result in
                    if case .verdict(let verdict) = result { verdict.entitled } else { false }
                }
                #expect(entitled.count == recorded)
            }
            #expect(self.store.statistics().events == recorded)
            _ = node
        }
    }
}
