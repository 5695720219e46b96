package import EventLog
import Evidence

/// Owns all shards of a store and builds batches whose fences hold: the part of an owner that store tests need.
package struct StoreWriter {
    package let store: any EventStore
    private let codec = EvidenceCodec()
    package private(set) var ownership: [ShardOwnership]
    private var versions: [[UInt8]: Int64] = [:]

    package init(_ store: any EventStore, node: String = "node", incarnation: Int64 = 7) throws {
        self.store = store
        let owner = ShardRecord.Owner(
            node: NodeID(rawValue: node), incarnation: Incarnation(rawValue: incarnation))
        try store.register(
            NodeRecord(id: owner.node, incarnation: owner.incarnation, featureLevel: try store.featureLevel()))
        self.ownership = try store.claim(ShardClaim(store.identity.shards, for: owner))
    }

    /// A new claim that goes on where `writer` stopped counting versions.
    package init(resuming writer: StoreWriter, incarnation: Int64 = 7) throws {
        try self.init(writer.store, incarnation: incarnation)
        self.versions = writer.versions
    }

    /// A batch on top of what this writer has appended.
    package mutating func batch(_ shard: Int, _ events: [NewEvent], streams: [StreamRow]? = nil) -> ShardBatch {
        let owned = self.ownership[shard]
        var rows: [[UInt8]: StreamRow] = [:]
        for (index, event) in events.enumerated() {
            rows[event.key] = StreamRow(
                key: event.key, version: event.version,
                sequence: LogSequence(rawValue: owned.head.rawValue + Int64(index) + 1),
                state: Array("state".utf8), entitlement: event.entitlement, nextDue: nil)
        }
        return ShardBatch(
            shard: owned.shard, epoch: owned.epoch, incarnation: owned.incarnation, head: owned.head, events: events,
            streams: streams ?? Array(rows.values))
    }

    /// The next event of a stream, counted by this writer.
    package mutating func event(_ key: [UInt8], evidence: [[UInt8]] = [], dedupKey: [UInt8]? = nil) -> NewEvent {
        let version = self.versions[key, default: 0] + 1
        self.versions[key] = version
        return NewEvent(
            key: key, version: StreamVersion(rawValue: version), kind: "renewed",
            dedupKey: dedupKey ?? key + [0] + Array("\(version)".utf8), at: 1_700_000_000_000 + version,
            body: Array("body \(version)".utf8), entitlement: [1],
            evidence: evidence.isEmpty
                ? nil : try? self.codec.encode(evidence.map { EvidencePart(name: .signedPayload, jws: $0) }))
    }

    package mutating func append(_ batches: [ShardBatch]) throws -> [AppendOutcome] {
        let outcomes = try self.store.append(batches)
        for (batch, outcome) in zip(batches, outcomes) {
            if case .appended(let head) = outcome { self.ownership[Int(batch.shard.rawValue)].head = head }
        }
        return outcomes
    }

    @discardableResult
    package mutating func append(_ events: [NewEvent], to shard: Int = 0) throws -> [AppendOutcome] {
        try self.append([self.batch(shard, events)])
    }
}

extension EventStore {
    /// Everything in a shard's log.
    package func log(_ shard: Int = 0) async throws -> [StoredEvent] {
        try await self.events(in: ShardID(rawValue: UInt16(shard)), after: .zero, limit: .max)
    }
}
