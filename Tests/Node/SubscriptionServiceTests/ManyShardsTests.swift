import EventLog
import InMemoryStore
import Ownership
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing
import WireProtocol

/// What a store of many shards asks of cursors, which name each of them.
@Suite(.timeLimit(.minutes(10))) struct ManyShardsTests {
    private let map: ShardHash

    init() throws { self.map = try #require(ShardHash(shardCount: 1_024)) }

    /// An event in each shard.
    private func submissions() -> [Submission] {
        var submissions: [ShardID: Submission] = [:]
        var number = 0
        while submissions.count < self.map.shardCount {
            number += 1
            let id = "\(number)"
            submissions[self.map.shard(of: id)] = Submission(
                key: StreamKey(
                    kind: .test, id: id, environment: .production, bundleID: TestAppStore.bundles[0]),
                bundle: FactBundle(
                    source: .notification, dedupKey: ContentHash.sha256(Array(id.utf8)),
                    contentDigest: PayloadDigest(repeatElement(9, count: 32)), signedDate: Node.start,
                    notification: NotificationIdentity(uuid: id, type: "TEST"), record: .test),
                evidence: nil)
        }
        return Array(submissions.values)
    }

    @Test func aCursorThatNamesAllOfThemIsTakenBack() async throws {
        // given
        let node = try Node(store: InMemoryEventStore(shardCount: self.map.shardCount))
        let submissions = self.submissions()
        try await node.run { service in
            for submission in submissions { _ = try await service.record(submission) }
            // when
            var cursor: String?
            var count = 0
            while true {
                let page = try await service.changes(after: cursor, limit: 1_000)
                cursor = page.next
                if page.events.isEmpty { break }
                count += page.events.count
            }
            // then
            #expect(count == submissions.count)
            let last = try #require(cursor)
            #expect(last.utf8.count > 4_096)
            _ = try await service.check([], consistency: .local, atLeast: last)
        }
    }
}
