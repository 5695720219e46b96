import Dispatch
import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

/// Between the moment when a commit is in the store and the moment when its shard has heard of it.
@Suite(.timeLimit(.minutes(10))) struct SettlingTests {
    private let store = ScriptedStore(InMemoryEventStore(shardCount: 16))
    private let block = DispatchSemaphore(value: 0)
    private let stream = StreamReference(id: "1")

    /// The commit happens at once, and is heard of when the test says so.
    private var heardLater: ScriptedStore.Append {
        { [block] batches, store in
            let outcomes = ScriptedStore.commit(batches, to: store)
            block.wait()
            return outcomes
        }
    }

    /// The commit happens when the test says so.
    private var happensLater: ScriptedStore.Append { ScriptedStore.waiting(for: self.block) }

    @Test func noPageGoesBeyondWhatIsSettled() async throws {
        // given: one event that is settled, and one that is only stored
        let node = try Node(store: self.store)
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payloads = try [life.subscribe(), life.turnAutoRenew(false)].map(node.apple.sign)
        let heardLater = self.heardLater
        try await node.run { [store, block, stream] service in
            _ = try await service.ingest(signedPayload: payloads[0])
            store.next([heardLater])
            async let second = service.ingest(signedPayload: payloads[1])
            await eventually { (try? await store.statistics().events) == 2 }
            // when
            let changes = try await service.changes(after: nil, limit: 10)
            let events = try await service.events(of: stream, after: nil, limit: 2, evidence: false)
            // then: what the next page is asked with is not refused
            #expect(changes.events.map(\.version.rawValue) == [1])
            #expect(events.events.map(\.version.rawValue) == [1])
            #expect(try await service.changes(after: changes.next, limit: 10).events.isEmpty)
            block.signal()
            _ = try await second
            #expect(try await service.changes(after: changes.next, limit: 10).events.map(\.version.rawValue) == [2])
        }
    }

    @Test func noPageOfRecordsGoesBeyondWhatIsSettled() async throws {
        // given
        let node = try Node(store: self.store)
        let payload = try node.apple.sign(
            TestNotification(type: "TEST", uuid: "00000000-0000-4000-8000-000000000001", signed: Node.start))
        self.store.next([self.heardLater])
        try await node.run { [store, block] service in
            async let told = service.ingest(signedPayload: payload)
            await eventually { (try? await store.statistics().events) == 1 }
            // when, then
            #expect(try await service.records(kind: nil, after: nil, limit: 1).events.isEmpty)
            block.signal()
            _ = try await told
            #expect(try await service.records(kind: nil, after: nil, limit: 1).events.count == 1)
        }
    }

    @Test func whatRestsOnACommitInFlightIsAnsweredWithIt() async throws {
        // given: a purchase whose notification waits for its commit
        let node = try Node(store: self.store)
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let told = life.subscribe()
        let payload = try node.apple.sign(told)
        let posted = try node.apple.transaction(told)
        var forged = payload
        forged[forged.count - 3] ^= 1
        self.store.next([self.happensLater])
        try await node.run { [store, block, forged] service in
            async let ingested = service.ingest(signedPayload: payload)
            await eventually { store.commits.count == 1 }
            // when: the device posts the same transaction, which is news to nobody
            async let view = service.record(signedTransaction: posted, signedRenewalInfo: nil)
            // time enough for an answer that waits for nothing
            for _ in 0..<50 { _ = try? await service.ingest(signedPayload: forged) }
            block.signal()
            // then
            #expect(try await view.snapshot?.entitled == true)
            _ = try await ingested
        }
    }

    @Test func contentThatIsSignedAnewCountsAgainstWhatCameBetween() async throws {
        // given: X at t1, Y at t3, X again at t6
        let node = try Node(store: self.store)
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let first = life.subscribe()
        var refunded = first
        refunded.signed = first.signed + .hours(3)
        refunded.period?.revocation = first.signed + .hours(2)
        var again = first
        again.signed = first.signed + .hours(6)
        let posts = try [first, refunded, again].map(node.apple.transaction)
        try await node.run { [stream, refunded, again] service in
            // when
            var states: [LifecycleState?] = []
            for post in posts + [posts[2], posts[0]] {
                let view = try await service.record(
                    signedTransaction: post, signedRenewalInfo: nil)
                states.append(view.snapshot?.state)
            }
            // then: it is recorded once more, as it is when Y comes first, and repetitions are not
            let other = try Node()
            let reordered = try [refunded, again, first].map(other.apple.transaction)
            let expected = try await other.run { service in
                var state: LifecycleState?
                for post in reordered {
                    state = try await service.record(
                        signedTransaction: post, signedRenewalInfo: nil
                    ).snapshot?.state
                }
                return state
            }
            #expect(states[2...].allSatisfy { $0 == expected })
            let signed = try await service.history(stream).compactMap(\.event.signedDate)
            #expect(signed.count(where: { $0 == again.signed }) == 1)
        }
    }

    @Test func aClockThatRanAheadAndCameBackDeniesNobody() async throws {
        // given: recorded time is three months ahead of the clock
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let told = [life.subscribe(), life.turnAutoRenew(false), life.askForConsumption()]
        let end = life.end
        var ahead = try Node(store: self.store)
        let payloads = try told.map(ahead.apple.sign)
        ahead.clock = ManualClock(Node.start + .days(90))
        try await ahead.run { [stream] service in
            for payload in payloads[..<2] { _ = try await service.ingest(signedPayload: payload) }
            let last = try await service.history(stream).last
            #expect(last != nil)
        }
        var back = ahead
        back.clock = ManualClock(Node.start)
        try await back.run { [back, stream] service in
            // when
            #expect(try await service.check("1")?.entitled == true)
            _ = try await service.ingest(signedPayload: payloads[2])
            // then
            #expect(try await service.check("1")?.entitled == true)
            #expect(try await service.check("1")?.validUntil == end)
            // and the end is recorded once when it comes, however often it is due
            back.clock.advance(to: end)
            await eventually { (try? await service.history(stream).last?.event.kind) == .expired }
            await eventually { (try? await service.statistics().timersOverdue) == 0 }
            #expect(try await service.history(stream).count(where: { $0.event.kind == .expired }) == 1)
        }
    }

    @Test func aTransitionThatWasAnnouncedTooEarlyIsNotAnnouncedAgain() async throws {
        // given: the timer of a clock that ran ahead has announced the end
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let told = [life.subscribe(), life.turnAutoRenew(false), life.askForConsumption()]
        let end = life.end
        let node = try Node(store: self.store)
        let shard = try #require(ShardHash(shardCount: 16)?.shard(of: "1"))
        let payloads = try told.map(node.apple.sign)
        try await node.run { [stream] service in
            for payload in payloads[..<2] { _ = try await service.ingest(signedPayload: payload) }
            node.clock.advance(to: end + .days(60))
            await eventually { (try? await service.history(stream).count) == 3 }
        }
        var back = node
        back.clock = ManualClock(Node.start)
        try await back.run { [back, stream] service in
            // when: news come before the end, and then the end
            _ = try await service.ingest(signedPayload: payloads[2])
            back.clock.advance(to: end + .minutes(1))
            // then
            await eventually { (try? await back.store.nextDue(in: shard)) == .some(nil) }
            #expect(try await service.history(stream).count(where: { $0.event.source == .timer }) == 1)
        }
    }
}
