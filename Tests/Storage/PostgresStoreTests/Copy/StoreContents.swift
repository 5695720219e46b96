import EventLog
import PerennialTestSupport
import Subscriptions

/// All that can be read from a store.
struct StoreContents: Equatable {
    var identity: StoreIdentity
    var nodes: [NodeRecord]
    var shards: [ShardRecord]
    var heads: [Position]
    var tags: [UInt32?]
    var logs: [[StoredEvent]]
    var streams: [[StreamRow]]
    var due: [[StreamRow]]
    var evidence: [Evidence]
    var lookups: [[[UInt8]]]
    var quarantine: [QuarantinedPayload]
    var bookmarks: [String: [UInt8]]
    var statistics: StoreStatistics

    init(of store: some EventStore) async throws {
        self.identity = store.identity
        self.nodes = try await store.nodes()
        self.shards = try await store.shards()
        self.heads = try await store.heads()
        (self.tags, self.logs, self.streams, self.due, self.evidence) = ([], [], [], [], [])
        for head in self.heads {
            let log = try await store.log(Int(head.shard.rawValue))
            self.logs.append(log)
            self.streams.append(try await store.streams(in: head.shard, after: nil, limit: .max))
            self.due.append(try await store.due(in: head.shard, at: .max, limit: .max))
            for sequence in [0, 1, head.sequence.rawValue, head.sequence.rawValue + 1] {
                self.tags.append(
                    try await store.incarnationTag(of: LogSequence(rawValue: sequence), in: head.shard))
            }
            for event in log.prefix(160) {
                guard let evidence = try await store.evidence(of: event.sequence, in: head.shard) else { continue }
                self.evidence.append(evidence)
            }
        }
        self.lookups = []
        for number in 0..<8 {
            self.lookups.append(try await store.streams(for: .customer, value: "ä\(number)\u{0}"))
        }
        self.quarantine = try await store.quarantined(after: 0, limit: 99)
        self.bookmarks = try await store.bookmarks(["read", "ä\u{0}", "gone"])
        self.statistics = try await store.statistics()
    }
}
