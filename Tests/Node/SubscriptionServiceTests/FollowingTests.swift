import EventLog
import InMemoryStore
import PerennialTestSupport
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// Many who follow the change stream of one node.
@Suite(.timeLimit(.minutes(10))) struct FollowingTests {
    /// Counts what is read of the log, and how much of it at once.
    private final class CountingStore: ForwardingStore {
        private struct Counts {
            var reads = 0
            var rows = 0
            var mostRows = 0
        }

        let inner: any EventStore
        private let counts = Mutex(Counts())

        init(_ inner: any EventStore) { self.inner = inner }

        var reads: Int { self.counts.withLock { $0.reads } }
        /// A node reads rows for itself as well: only those count that a listener asks for.
        @TaskLocal static var isListener = false

        /// Listeners' readings of rows under way at once, at most.
        var mostRows: Int { self.counts.withLock { $0.mostRows } }

        func events(
            in shard: ShardID, after sequence: LogSequence, limit: Int
        ) async throws(StoreError) -> [StoredEvent] {
            self.counts.withLock { $0.reads += 1 }
            return try await self.inner.events(in: shard, after: sequence, limit: limit)
        }

        func events(
            of key: [UInt8], in shard: ShardID, after version: StreamVersion, limit: Int
        ) async throws(StoreError) -> [StoredEvent] {
            self.counts.withLock { $0.reads += 1 }
            return try await self.inner.events(of: key, in: shard, after: version, limit: limit)
        }

        func streams(in shard: ShardID, after key: [UInt8]?, limit: Int) async throws(StoreError) -> [StreamRow] {
            guard Self.isListener else { return try await self.inner.streams(in: shard, after: key, limit: limit) }
            self.counts.withLock { counts in
                counts.rows += 1
                counts.mostRows = max(counts.mostRows, counts.rows)
            }
            defer { self.counts.withLock { $0.rows -= 1 } }
            await Task.yield()
            return try await self.inner.streams(in: shard, after: key, limit: limit)
        }
    }

    /// Until it has told so many changes.
    private static func hear(_ count: Int, from feed: inout ChangeFeed) async throws -> [ChangeView] {
        var heard: [ChangeView] = []
        while heard.count < count, !Task.isCancelled {
            switch try await feed.next(limit: 100) {
            case .changes(let changes): heard += changes.map(\.change)
            case .snapshot, .caughtUp: break
            case nil: try await Task.sleep(for: .milliseconds(1))
            }
        }
        return heard
    }

    private static func catchUp(_ feed: inout ChangeFeed) async throws {
        while true { if case .caughtUp = try await feed.next(limit: 100) { return } }
    }

    @Test func `whoever has caught up costs the log nothing more`() async throws {
        // given many who have caught up
        let store = CountingStore(InMemoryEventStore(shardCount: 16))
        var node = try Node(store: store)
        node.configuration.followingPatience = .seconds(3_600)
        var lives = (0..<8).map { TestSubscription(id: "\($0)", from: Node.start - .days(1)) }
        let first = try lives.indices.map { try node.apple.sign(lives[$0].subscribe()) }
        let second = try lives.indices.map {
            lives[$0].wait(.minutes(1))
            return try node.apple.sign(lives[$0].turnAutoRenew(false))
        }
        try await node.run { service in
            for payload in first { _ = try await service.ingest(signedPayload: payload) }
            var feeds: [ChangeFeed] = []
            for _ in 0..<50 {
                var feed = try await service.feed(after: nil)
                try await Self.catchUp(&feed)
                feeds.append(feed)
            }
            let before = store.reads
            // when there is news
            for payload in second { _ = try await service.ingest(signedPayload: payload) }
            // then all hear all of it
            for index in feeds.indices {
                let heard = try await Self.hear(second.count, from: &feeds[index])
                #expect(Set(heard.map(\.event.key.id)) == Set((0..<8).map { "\($0)" }))
                #expect(heard.allSatisfy { $0.event.version.rawValue == 2 && $0.previous != nil })
            }
            // and it was read about once: as many reads as there are changes and what was before each, not fifty times that
            #expect(store.reads - before <= 4 * second.count)
        }
    }

    @Test func `those who read the log for themselves do it one after the other`() async throws {
        let store = CountingStore(InMemoryEventStore(shardCount: 16))
        let node = try Node(store: store)
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await CountingStore.$isListener.withValue(true) {
                            var feed = try await service.feed(after: nil)
                            try await Self.catchUp(&feed)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(store.mostRows == 1)
        }
    }

    @Test func `each hears of every change once and in order, whenever it comes`() async throws {
        let node = try Node()
        let count = 12
        var payloads: [[UInt8]] = []
        for id in 0..<4 {
            var life = TestSubscription(id: "\(id)", from: Node.start - .days(1))
            payloads.append(try node.apple.sign(life.subscribe()))
            for turn in 0..<(count - 1) {
                life.wait(.minutes(1))
                payloads.append(try node.apple.sign(life.turnAutoRenew(turn % 2 == 1)))
            }
        }
        let all = payloads
        try await node.run { service in
            let start = try await service.changes(after: nil, limit: 1).next
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for payload in all { _ = try await service.ingest(signedPayload: payload) }
                }
                for listener in 0..<10 {
                    group.addTask {
                        // Each begins a little later, and goes on from a cursor half-way.
                        for _ in 0..<listener * 5 { await Task.yield() }
                        var feed = try await service.feed(after: start)
                        var heard = try await Self.hear(10, from: &feed)
                        feed = try await service.feed(after: feed.cursor)
                        heard += try await Self.hear(all.count - heard.count, from: &feed)

                        #expect(heard.count == all.count)
                        for (_, changes) in Dictionary(grouping: heard, by: \.event.key) {
                            let versions = changes.map(\.event.version.rawValue)
                            #expect(versions == versions.sorted())
                            #expect(Set(versions).count == versions.count)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
