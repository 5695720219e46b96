import Dispatch
import EventLog
import Foundation
import InMemoryStore
import Ownership
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// What a node does before, while and after the store makes another the owner of one of its shards.
@Suite(.timeLimit(.minutes(10))) struct HandOffTests {
    private static let shardCount = 16
    private static let ids = (0..<40).map { "200000000000\(1_000 + $0)" }
    private let memory = InMemoryEventStore(shardCount: Self.shardCount)
    private let store: HookedSharedStore
    private let apple: TestAppStore

    init() throws {
        self.apple = try TestAppStore()
        self.store = HookedSharedStore(self.memory)
    }

    /// The shards of a store with one notification, and two nodes that have divided them.
    private struct Pair: Sendable {
        /// Owns the notification's shard.
        let giver: SubscriptionService
        let taker: SubscriptionService
        let next: NodeID
        let shard: ShardID
        /// Of the subscription that the notification is about.
        let id: String
        /// Another notification about the same subscription.
        let second: [UInt8]
    }

    private func run(_ body: @escaping @Sendable (Pair) async throws -> Void) async throws {
        let map = try #require(ShardHash(shardCount: Self.shardCount))
        let second = try Node(named: "b", store: self.store, apple: self.apple)
        try await Node(named: "a", store: self.store, apple: self.apple).run { one in
            try await second.run { two in
                await eventually {
                    Set(self.memory.view().shards.map { $0.owner?.node.rawValue }) == ["a", "b"]
                        && self.memory.view().shards.filter { $0.owner?.node.rawValue == "b" }.count >= 7
                }
                // Where the one that owns the most gives one away, each has its share, and gives nothing back by itself.
                let owners = Dictionary(grouping: self.memory.view().shards) { $0.owner?.node }
                let home = try #require(owners.max { $0.value.count < $1.value.count }?.key)
                let id = try #require(Self.ids.first { self.owner(of: map.shard(of: $0)) == home })
                var life = TestSubscription(id: id, from: Node.start - .days(1))
                let payloads = try [life.subscribe(), life.turnAutoRenew(false)].map(self.apple.sign)
                _ = try await one.ingest(signedPayload: payloads[0])
                await eventually { self.memory.view().shards.contains { $0.head.rawValue == 1 } }
                let isOnes = home.rawValue == "a"
                try await body(
                    Pair(
                        giver: isOnes ? one : two, taker: isOnes ? two : one,
                        next: NodeID(rawValue: isOnes ? "b" : "a"), shard: map.shard(of: id), id: id,
                        second: payloads[1]))
            }
        }
    }

    private final class Answers: Sendable {
        let versions = Mutex<[Int64?]>([])
        let isAsked = Atomic(false)
        /// Set when the time of the test is over: it ends what the thread of the giver waits for.
        let isGivenUp = Atomic(false)
    }

    /// The version in an owner's answer; nil when there is none.
    private static func version(of id: String, by service: SubscriptionService) async -> Int64? {
        let request = CheckRequest(stream: StreamReference(id: id))
        let answer = try? await service.check([request], consistency: .owner, atLeast: nil)
        guard case .verdict(let verdict)? = answer?.results.first else { return nil }
        return verdict.version.rawValue
    }

    private func owner(of shard: ShardID) -> NodeID? { self.memory.view().shards[Int(shard.rawValue)].owner?.node }

    /// Both nodes say what was recorded last, and it was recorded once.
    private func isRecordedOnce(_ pair: Pair) async throws {
        _ = try await pair.taker.ingest(signedPayload: pair.second)
        await eventually { self.memory.inboxDepth().waiting == 0 }
        for service in [pair.giver, pair.taker] {
            await eventually { await Self.version(of: pair.id, by: service) == 2 }
        }
        #expect(self.memory.statistics().events == 2)
    }

    @Test("who gives a shard away answers for it no more once the next owner may")
    func answersNoMore() async throws {
        try await self.run { pair in
            let answers = Answers()
            self.store.set { hooks in
                hooks.give = { shard, give throws(StoreError) in
                    let isGiven = try give()
                    guard isGiven, shard == pair.shard, !answers.isAsked.exchange(true, ordering: .relaxed) else {
                        return isGiven
                    }
                    // Others hear of it first, and go on.
                    let asked = DispatchSemaphore(value: 0)
                    Task {
                        await eventually {
                            let outcome = try? await pair.taker.ingest(signedPayload: pair.second)
                            return outcome != nil || answers.isGivenUp.load(ordering: .relaxed)
                        }
                        await eventually {
                            self.memory.statistics().events == 2 || answers.isGivenUp.load(ordering: .relaxed)
                        }
                        let version = await Self.version(of: pair.id, by: pair.giver)
                        answers.versions.withLock { $0.append(version) }
                        asked.signal()
                    }
                    asked.wait()
                    return isGiven
                }
            }
            // when
            try await withTaskCancellationHandler {
                _ = try await pair.giver.move(pair.shard, to: pair.next)
            } onCancel: {
                answers.isGivenUp.store(true, ordering: .relaxed)
            }
            // then: the next owner's answer, or none
            let seen = answers.versions.withLock(\.self)
            #expect(seen.count == 1 && seen.allSatisfy { $0 == nil || $0 == 2 })
            try await self.isRecordedOnce(pair)
        }
    }

    @Test("a move that takes its time is made, though who asked for it reads meanwhile that the shard is elsewhere")
    func isMadeSlowly() async throws {
        try await self.run { pair in
            self.store.set { hooks in
                hooks.give = { shard, give throws(StoreError) in
                    let isGiven = try give()
                    // Longer than it takes to read that, and to wait for its giver no more.
                    if shard == pair.shard { Thread.sleep(forTimeInterval: 1.5) }
                    return isGiven
                }
            }
            // when
            let moved = try await pair.taker.move(pair.shard, to: pair.next)
            // then
            #expect(moved.owner?.node == pair.next)
        }
    }

    @Test("a shard that was given, which its giver did not hear, has the next owner and no other")
    func isGivenUnheard() async throws {
        try await self.run { pair in
            let transfers = Answers()
            self.store.set { hooks in
                hooks.give = { shard, give throws(StoreError) in
                    let isGiven = try give()
                    guard shard == pair.shard, transfers.versions.withLock(\.isEmpty) else { return isGiven }
                    transfers.versions.withLock { $0.append(isGiven ? 1 : nil) }
                    throw HookedSharedStore.unheard
                }
            }
            // when: what the giver says of it is not known
            _ = try? await pair.giver.move(pair.shard, to: pair.next)
            // then
            #expect(transfers.versions.withLock(\.self) == [1])
            try await self.isRecordedOnce(pair)
        }
    }

    @Test("a shard that could not be given is served again by who has it, and nobody is told that it has moved")
    func staysWhereItIs() async throws {
        try await self.run { pair in
            let attempts = Atomic(0)
            self.store.set { hooks in
                hooks.give = { _, _ throws(StoreError) in
                    attempts.add(1, ordering: .relaxed)
                    throw HookedSharedStore.unheard
                }
            }
            // when
            let refusal = await #expect(throws: ServiceError.self) {
                try await pair.giver.move(pair.shard, to: pair.next)
            }
            // then
            #expect(refusal?.retryable == true)
            #expect(attempts.load(ordering: .relaxed) > 0)
            #expect(self.owner(of: pair.shard).map { $0 != pair.next } == true)
            try await self.isRecordedOnce(pair)
        }
    }

    @Test("shards that were taken, which their taker did not hear, are served by it")
    func isTakenUnheard() async throws {
        let isTaken = Atomic(false)
        self.store.set { hooks in
            hooks.take = { take throws(StoreError) in
                let taken = try take()
                guard isTaken.exchange(true, ordering: .relaxed) else { throw HookedSharedStore.unheard }
                return taken
            }
        }
        let id = Self.ids[0]
        var life = TestSubscription(id: id, from: Node.start - .days(1))
        let payload = try self.apple.sign(life.subscribe())
        try await Node(named: "a", store: self.store, apple: self.apple).run { service in
            await eventually { (try? await service.statistics().shardsOwned) == Self.shardCount }
            let wasTaken = isTaken.load(ordering: .relaxed)
            #expect(wasTaken)
            _ = try await service.ingest(signedPayload: payload)
            await eventually { await Self.version(of: id, by: service) == 1 }
        }
    }
}
