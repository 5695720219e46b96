import EventLog
import InMemoryStore
import Jobs
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// Look-ups that earlier versions wrote in clear text become keyed hashes while a node serves.
@Suite(.timeLimit(.minutes(10))) struct ConversionTests {
    /// A store with look-ups in clear text.
    private final class ClearTextStore: ForwardingStore {
        let inner: any EventStore
        let left: Mutex<[ClearLookup]>
        /// How often somebody has asked whether there are any.
        let asked = Mutex(0)
        let made = Mutex<[(ClearLookup, IdentifierHash?)]>([])

        init(_ inner: any EventStore, _ lookups: [ClearLookup]) {
            self.inner = inner
            self.left = Mutex(lookups)
        }

        func clearLookups(limit: Int) async throws(StoreError) -> [ClearLookup] {
            self.asked.withLock { $0 += 1 }
            return self.left.withLock { Array($0.prefix(limit)) }
        }

        func replace(_ lookups: [ClearLookup], by hashes: [IdentifierHash?]) async throws(StoreError) {
            self.left.withLock { left in left.removeAll { lookups.contains($0) } }
            self.made.withLock { $0 += zip(lookups, hashes) }
        }
    }

    @Test func `they are converted once the store is at the level, and the job says so`() async throws {
        let token = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
        let texts = [
            (1, "u-1"), (1, token), (2, token), (2, "no UUID"), (3, "7041"), (9, "of a kind that nobody knows"),
        ]
        let lookups = texts.map { ClearLookup(kind: $0.0, value: Array($0.1.utf8), stream: 7) }
        let more = (0..<1_200 as Range<Int64>).map { ClearLookup(kind: 3, value: Array("8".utf8), stream: $0) }
        let memory = InMemoryEventStore(shardCount: 16)
        let store = ClearTextStore(memory, lookups + more)
        let node = try Node(store: store)
        try await node.run { service in
            // A job that had begun before would have begun at an earlier time.
            let start = node.clock.now + .days(1)
            node.clock.advance(to: start)
            _ = try await service.finalize()
            try await eventually { try await service.allJobs().first { $0.kind == .convert }?.state == .done }
            let job = try #require(try await service.allJobs().first { $0.kind == .convert })
            #expect(job.started >= start)
            #expect(job.examined == 1_206 && store.left.withLock(\.count) == 0)
        }
        let key = try IdentifierKey(of: memory)
        let expected: [IdentifierHash?] = [
            key.hash(.customer, "u-1"), key.hash(.customer, token.lowercased()),
            key.hash(.appAccountToken, token.lowercased()), nil, key.hash(.appTransaction, "7041"), nil,
        ]
        #expect(store.made.withLock { $0.prefix(6).map(\.1) } == expected)
        // and: nothing is begun where nothing is left. A node asks once.
        let before = store.asked.withLock(\.self)
        try await node.run { service in
            await eventually { store.asked.withLock(\.self) > before }
            let jobs = try await service.allJobs()
            #expect(jobs.count { $0.kind == .convert } == 1)
        }
    }
}
