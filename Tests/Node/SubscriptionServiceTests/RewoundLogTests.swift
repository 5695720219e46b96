import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// A listener whose log is not the one that he was told of any more.
@Suite(.timeLimit(.minutes(10))) struct RewoundLogTests {
    /// - Returns: why the feed ends; nil when it tells of changes.
    private func end(of feed: inout ChangeFeed) async -> ServiceError.Code? {
        while true {
            do throws(ServiceError) {
                if case .changes = try await feed.next(limit: 10) { return nil }
            } catch {
                return error.code
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test("a listener hears of it, be the new log shorter, as long, or longer", arguments: 1...3)
    func isToldToTheListener(count: Int) async throws {
        // given: a log of two events, and one of so many that others have written under the same epoch
        let (lost, found) = (InMemoryEventStore(shardCount: 16), InMemoryEventStore(shardCount: 16))
        var node = try Node(store: lost)
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payloads = try [life.subscribe(), life.turnAutoRenew(false), life.turnAutoRenew(true)].map(node.apple.sign)
        try await node.run { service in
            for payload in payloads[..<2] { _ = try await service.ingest(signedPayload: payload) }
        }
        node.store = found
        try await node.run { service in
            for payload in payloads[..<count] { _ = try await service.ingest(signedPayload: payload) }
        }
        // and a listener who has heard of both, at a node that owns another shard
        let store = ReplaceableStore(lost)
        let shard = try #require(ShardHash(shardCount: 16)).shard(of: "1")
        node.store = store
        node.configuration.shards = [ShardID(rawValue: shard.rawValue ^ 1)]
        let start = PositionToken(store: StoreStamp(lost.identity), positions: []).text
        try await node.run { service in
            var feed = try await service.feed(after: start)
            var heard = 0
            while heard < 2 {
                if case .changes(let changes) = try await feed.next(limit: 10) { heard += changes.count }
            }
            // when
            store.replace(by: found)
            // then
            let end = await self.end(of: &feed)
            #expect(end == .storeRewound)
        }
    }
}
