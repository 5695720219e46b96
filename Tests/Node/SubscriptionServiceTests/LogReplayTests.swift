import EventLog
import InMemoryStore
import PerennialTestSupport
import Queries
import SQLiteStore
import SubscriptionService
import Subscriptions
import Synchronization
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(5))) struct LogReplayTests {
    private static let stories = (0..<200).map { TestSubscription.story(seed: $0, from: Node.start - .days(400)) }

    @Test func theLogGivesTheStatesThatTheRowsHold() async throws {
        // given
        let directory = try TemporaryDirectory()
        let store = try Node.sqlite(in: directory)
        let node = try Node(store: store)
        node.clock.advance(to: Node.start + .days(30))
        let payloads = try Self.stories.flatMap(\.self).map { try node.apple.sign($0) }
        try await node.run { service in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<16 {
                    group.addTask {
                        for index in stride(from: lane, to: payloads.count, by: 16) {
                            _ = try await service.ingest(signedPayload: payloads[index])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        // when
        let replayed = Mutex<[[UInt8]: LogReplay.Stream]>([:])
        let shards = (0..<16).map { ShardID(rawValue: $0) }
        try await LogReplay(store: store, page: 8).replay(shards, width: 2) { _, streams in
            replayed.withLock { for stream in streams { $0[stream.key.bytes] = stream } }
        }

        // then
        var rows = 0
        for shard in shards {
            for row in try await store.streams(in: shard, after: nil, limit: 10_000) {
                let stream = try #require(replayed.withLock { $0[row.key] })
                #expect(stream.version == row.version)
                #expect(try StoredState(protoBytes: row.state, key: stream.key).state == stream.state)
                rows += 1
            }
        }
        #expect(rows == replayed.withLock { $0.count } && rows == Self.stories.count)
        try store.close()
    }

    @Test func anEmptyShardHasNoStreams() async throws {
        let streams = try await LogReplay(store: InMemoryEventStore(shardCount: 16)).streams(of: ShardID(rawValue: 3))

        #expect(streams.isEmpty)
    }
}
