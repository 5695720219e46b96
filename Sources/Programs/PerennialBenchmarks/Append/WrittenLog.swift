import EventLog
import SubscriptionService
import Subscriptions
import WireProtocol

/// Reads back what shards have appended, as batches that are inserted at once.
struct WrittenLog {
    private static let eventsPerBatch = AppendLoad.eventsPerBatch

    private let store: any EventStore
    private var heads: [Position]

    init(_ store: any EventStore) async throws {
        self.store = store
        self.heads = try await store.heads()
    }

    /// All since the last time, drawn uniformly from the shards.
    mutating func next(evidenceOf submissions: ArraySlice<Submission>) async throws -> [[ShardBatch]] {
        let evidence = Dictionary(
            submissions.map { ($0.bundle.dedupKey, $0.evidence) }, uniquingKeysWith: { first, _ in first })
        var rows: [ShardBatch] = []
        for head in self.heads {
            for event in try await self.store.events(in: head.shard, after: head.sequence, limit: .max) {
                rows.append(Self.batch(of: event, evidence: evidence[event.dedupKey] ?? nil))
            }
        }
        self.heads = try await self.store.heads()
        rows.shuffle()
        return stride(from: 0, to: rows.count, by: Self.eventsPerBatch).map {
            Array(rows[$0..<min($0 + Self.eventsPerBatch, rows.count)])
        }
    }

    private static func batch(of event: StoredEvent, evidence: EncodedEvidence?) -> ShardBatch {
        ShardBatch(
            shard: event.shard, epoch: event.epoch, incarnation: Incarnation(rawValue: 0),
            head: LogSequence(rawValue: event.sequence.rawValue - 1),
            events: [
                NewEvent(
                    key: event.key, version: event.version, kind: event.kind, dedupKey: event.dedupKey, at: event.at,
                    body: event.body, entitlement: event.entitlement, evidence: evidence)
            ])
    }
}
