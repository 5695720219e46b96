import Dispatch
import EventLog
import InMemoryStore
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// Commits that fail, that nobody knows the outcome of, or that a fence refuses.
@Suite(.timeLimit(.minutes(10))) struct CommitTests {
    private let inner = InMemoryEventStore(shardCount: 16)

    private func life() -> TestSubscription { TestSubscription(id: "1", from: Node.start - .days(1)) }

    /// Runs a service until it ends by itself.
    /// - Parameter cause: called once it serves.
    /// - Returns: what it ends with.
    private func end(of service: SubscriptionService, _ cause: () async -> Void) async -> (any Error)? {
        await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                do { try await service.run() } catch { return error }
                return nil
            }
            await eventually { service.readiness(for: .reads).ready }
            await cause()
            return await group.next() ?? nil
        }
    }

    @Test(arguments: [
        (StoreError.Code.unavailable, ServiceError.Code.storeUnavailable), (.full, .storeFull), (.corrupt, .corrupt),
    ])
    func aFailedCommitIsNotBelieved(_ failure: StoreError.Code, _ expected: ServiceError.Code) async throws {
        // given
        let store = ScriptedStore(self.inner, [ScriptedStore.failing(failure)])
        let node = try Node(store: store)
        var life = self.life()
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when
            let start = ContinuousClock.now
            let error = await #expect(throws: ServiceError.self) { try await service.ingest(signedPayload: payload) }
            // then
            let isReady = service.readiness(for: .ingest).ready
            #expect(!isReady || .now - start >= CommitTrouble.quietPeriod)
            #expect(error?.code == expected)
            let unknown = await #expect(throws: ServiceError.self) { try await service.view("1") }
            #expect(unknown?.code == .unknownSubscription)
            #expect(service.readiness(for: .reads).ready)
            // and the node goes on once the store works again
            let result1 = try await service.ingest(signedPayload: payload)
            #expect(result1 == .recorded(StreamVersion(rawValue: 1)))
            #expect(service.readiness(for: .ingest).ready)
        }
    }

    @Test(arguments: [true, false])
    func aCommitOfUnknownOutcomeIsLookedUp(_ happened: Bool) async throws {
        // given
        let script = happened ? ScriptedStore.happensUnheard : ScriptedStore.failing(.outcomeUnknown)
        let store = ScriptedStore(self.inner, [script])
        let node = try Node(store: store)
        var life = self.life()
        let payloads = try [life.subscribe(), life.turnAutoRenew(false)].map(node.apple.sign)
        try await node.run { service in
            // when: the caller only waits a little longer
            let outcome = try await service.ingest(signedPayload: payloads[0])
            // then
            let version = StreamVersion(rawValue: 1)
            #expect(outcome == (happened ? .duplicate(version) : .recorded(version)))
            let result2 = try await service.check("1")?.entitled
            #expect(result2 == true)
            let result3 = try await service.ingest(signedPayload: payloads[1])
            #expect(result3 == .recorded(StreamVersion(rawValue: 2)))
            let result4 = try await service.history(StreamReference(id: "1")).map(\.version.rawValue)
            #expect(result4 == [1, 2])
        }
    }

    @Test func aFencedShardServesNoMore() async throws {
        // given
        let node = try Node(store: self.inner)
        var life = self.life()
        let payloads = try [life.subscribe(), life.turnAutoRenew(false)].map(node.apple.sign)
        try await node.run { [inner] service in
            _ = try await service.ingest(signedPayload: payloads[0])
            // when: somebody else takes the store
            _ = inner.claim(
                ShardClaim(
                    inner.identity.shards,
                    for: .init(node: NodeID(rawValue: "other"), incarnation: Incarnation(rawValue: 7))))
            // then
            for _ in 0..<2 {
                // Its owner will record it.
                #expect(try await service.ingest(signedPayload: payloads[1]) == .kept)
            }
            #expect(inner.inboxDepth().waiting == 1)
            #expect(inner.statistics().events == 1)
            let read = await #expect(throws: ServiceError.self) { try await service.view("1") }
            #expect(read?.code == .notOwner)
            let check = await #expect(throws: ServiceError.self) { try await service.check("1") }
            #expect(check?.code == .notOwner)
            #expect(service.readiness(for: .reads).ready == false)
        }
    }

    @Test("however many commits of an outage have an unknown outcome, the log says so once")
    func tellsUnknownOutcomesOnce() async throws {
        // given
        let unknown = ScriptedStore.failing(.outcomeUnknown)
        let node = try Node(store: ScriptedStore(self.inner, Array(repeating: unknown, count: 20)))
        var life = self.life()
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when
            let first = IngestOutcome.recorded(StreamVersion(rawValue: 1))
            await eventually { (try? await service.ingest(signedPayload: payload)) == first }
            // then
            #expect(node.log.count(of: "The outcome of a commit is unknown") == 1)
            await eventually { node.log.count(of: "The store takes commits again failed=0 unknown=20") == 1 }
        }
    }

    @Test func aFenceThatNobodyElseSetIsLookedInto() async throws {
        // given: the store still says that the shard is ours
        let node = try Node(store: ScriptedStore(self.inner, [ScriptedStore.fenced]))
        var life = self.life()
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when, then
            let outcome = try await service.ingest(signedPayload: payload)
            #expect(outcome == .recorded(StreamVersion(rawValue: 1)))
            let entitled = try await service.check("1")?.entitled
            #expect(entitled == true)
        }
    }

    @Test func aLogThatLacksWhatWasConfirmedEndsTheNode() async throws {
        // given: two events are confirmed, and then a server answers that has one of them
        let store = ScriptedStore(self.inner)
        let node = try Node(store: store)
        var life = self.life()
        let payloads = try [life.subscribe(), life.turnAutoRenew(false), life.turnAutoRenew(true)].map(node.apple.sign)
        let service = try node.service()
        let end = await self.end(of: service) {
            for payload in payloads[..<2] { _ = try? await service.ingest(signedPayload: payload) }
            store.ownerships = { taken in
                taken.map { owned in
                    var owned = owned
                    owned.head = LogSequence(rawValue: max(0, owned.head.rawValue - 1))
                    return owned
                }
            }
            store.next([ScriptedStore.failing(.outcomeUnknown)])
            // when
            let refused = await #expect(throws: ServiceError.self) {
                try await service.ingest(signedPayload: payloads[2])
            }
            // then: nothing is written on, and nothing answered
            #expect(refused?.code == .storeRewound)
            await #expect(throws: ServiceError.self) { try await service.check("1") }
        }
        #expect((end as? ServiceError)?.code == .storeRewound)
    }

    @Test func whatComesDuringACommitIsCommittedTogetherWhateverItsShards() async throws {
        let store = ScriptedStore(self.inner)
        let node = try Node(store: store)
        try await node.run { service in
            var round = 0
            // How much is there when the commit ends that it waits for is not known: several times, if need be.
            while !Task.isCancelled, !store.commits.contains(where: { $0.count > 4 }) {
                round += 1
                // given: a commit that waits
                let block = DispatchSemaphore(value: 0)
                store.next([ScriptedStore.waiting(for: block)])
                let begun = store.commits.count
                let payloads = try (1...40).map { number in
                    var life = TestSubscription(id: "\(round * 100 + number)", from: Node.start - .days(1))
                    return try node.apple.sign(life.subscribe())
                }
                // when
                let outcomes = await withTaskGroup(of: Delivered.self) { group in
                    group.addTask { await Delivered(payloads[0], to: service) }
                    await eventually { store.commits.count > begun }
                    for payload in payloads[1...] { group.addTask { await Delivered(payload, to: service) } }
                    try? await Task.sleep(for: .milliseconds(50))
                    block.signal()
                    return await group.reduce(into: []) { $0.append($1) }
                }
                // then
                #expect(outcomes.allSatisfy { $0.outcome == .recorded(StreamVersion(rawValue: 1)) })
            }
            #expect(store.commits.contains { $0.count > 4 })
        }
    }

    @Test func whatOneThreadHadBegunMayEndAfterAnotherLostTheShards() async throws {
        // given: a commit of one shard that waits, and one of another that ends it all
        let block = DispatchSemaphore(value: 0)
        let store = ScriptedStore(
            self.inner, [ScriptedStore.waiting(for: block), ScriptedStore.failing(.outcomeUnknown)],
            appendConcurrency: 2)
        let node = try Node(store: store)
        let payloads = try (1...40).map { number in
            var life = TestSubscription(id: "\(number)", from: Node.start - .days(1))
            return try node.apple.sign(life.subscribe())
        }
        let service = try node.service()
        let end = await self.end(of: service) {
            store.ownerships = { _ throws(StoreError) in throw StoreError(.corrupt, "as the test says") }
            // when
            let outcomes = await withTaskGroup(of: Delivered.self) { group in
                group.addTask { await Delivered(payloads[0], to: service) }
                await eventually { store.commits.count == 1 }
                for payload in payloads[1...] { group.addTask { await Delivered(payload, to: service) } }
                // Of every shard, the one whose commit waits among them.
                await eventually {
                    service.readiness(for: .reads).reasons.contains { $0.hasPrefix("16 of 16 shards") }
                }
                block.signal()
                return await group.reduce(into: []) { $0.append($1) }
            }
            // then: everybody is told, and nobody that it was recorded
            #expect(outcomes.allSatisfy { $0.outcome == nil })
        }
        #expect((end as? ServiceError)?.code == .corrupt)
    }

    @Test func whatWasReadBeforeACommitOfUnknownOutcomeIsNotKept() async throws {
        // given: a check that has read the first version, and gets it late
        let store = ScriptedStore(self.inner)
        let node = try Node(store: store)
        var life = self.life()
        let payloads = try [life.subscribe(), life.turnAutoRenew(false)].map(node.apple.sign)
        try await node.run { _ = try await $0.ingest(signedPayload: payloads[0]) }
        let (read, hasRead) = AsyncStream<Void>.makeStream()
        let (release, mayGoOn) = AsyncStream<Void>.makeStream()
        try await node.run { service in
            store.rowsComeAfter = {
                hasRead.yield()
                for await _ in release { break }
            }
            async let early = service.check("1")?.version
            for await _ in read { break }
            store.rowsComeAfter = nil
            // when: the second version commits, and the shard forgets what it knows
            store.next([ScriptedStore.happensUnheard])
            let outcome = try await service.ingest(signedPayload: payloads[1])
            #expect(outcome == .duplicate(StreamVersion(rawValue: 2)))
            mayGoOn.yield()
            _ = try await early
            // then
            let version = try await service.check("1")?.version
            #expect(version == StreamVersion(rawValue: 2))
        }
    }
}
