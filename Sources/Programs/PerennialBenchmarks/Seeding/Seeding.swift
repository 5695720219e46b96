import AppStoreSimulator
import EventLog
import Ownership
import SQLiteStore
import Shards
import Subscriptions

/// Fills a store with subscriptions that are entitled for the next hours, far faster than notifications could.
struct Seeding: Sendable {
    private static let templateCount = 256
    /// Shards that one commit appends to.
    private static let shardsPerCommit = 4

    let ids: SubscriptionIDs
    private let templates: [SeedTemplate]
    private let now: Moment

    /// - Parameter authority: of the notifications that the subscriptions came from.
    init(count: Int, authority: CertificateAuthority) async throws {
        self.ids = SubscriptionIDs(count: count)
        self.now = SystemClock().now
        // Customers arrive in the first tenth of this time: within the day before yesterday.
        let factory = try LifecycleFactory(
            seed: 5, from: self.now - .days(2), duration: .days(2), authority: authority)
        self.templates = try await SeedTemplate.make(
            Self.templateCount, factory: factory,
            app: try .simulated(root: factory.rootCertificate), now: self.now)
    }

    /// Makes the store and closes it.
    func fill(_ path: String) throws {
        let store = try SQLiteEventStore(configuration: SQLiteConfiguration(path: path))
        let owned = try store.claim(
            ShardClaim(
                store.identity.shards,
                for: ShardRecord.Owner(node: NodeID(rawValue: "benchmark"), incarnation: Incarnation(rawValue: 1))))
        guard let map = ShardHash(shardCount: owned.count) else {
            preconditionFailure("a store is made with a shard count that a shard map takes")
        }
        let byShard = Dictionary(grouping: 0..<self.ids.count) { map.shard(of: self.ids[$0]) }
        for start in stride(from: 0, to: owned.count, by: Self.shardsPerCommit) {
            let batches = owned[start..<min(owned.count, start + Self.shardsPerCommit)].map {
                self.batch(byShard[$0.shard] ?? [], $0)
            }
            for case .fenced in try store.append(batches) { throw BenchmarkError("the new store has another owner") }
        }
        try store.close()
    }

    private func batch(_ indices: [Int], _ ownership: ShardOwnership) -> ShardBatch {
        var batch = ShardBatch(
            shard: ownership.shard, epoch: ownership.epoch, incarnation: ownership.incarnation, head: ownership.head,
            events: [])
        batch.events.reserveCapacity(indices.count)
        batch.streams.reserveCapacity(indices.count)
        let version = StreamVersion(rawValue: 1)
        for (place, index) in indices.enumerated() {
            let template = self.templates[index % self.templates.count]
            let id = self.ids[index]
            let key = StreamKey(
                kind: .subscription, id: id, environment: template.environment, bundleID: template.bundleID
            ).bytes
            batch.events.append(
                NewEvent(
                    key: key, version: version, kind: template.kind,
                    dedupKey: Array(ContentHash.sha256(Array(id.utf8)).prefix(16)), at: self.now.milliseconds,
                    body: template.body, entitlement: template.entitlement))
            batch.streams.append(
                StreamRow(
                    key: key, version: version,
                    sequence: LogSequence(rawValue: ownership.head.rawValue + Int64(place) + 1), state: template.state,
                    entitlement: template.entitlement, nextDue: template.nextDue.milliseconds))
        }
        return batch
    }
}
