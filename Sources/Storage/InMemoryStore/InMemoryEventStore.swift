package import EventLog
import Evidence
package import Subscriptions
import Synchronization

/// The event store of tests and of the deterministic simulation: it promises all that the others do but to survive the
/// process.
package final class InMemoryEventStore: SharedEventStore {
    struct State {
        var nodes: [NodeID: NodeStatus] = [:]
        var shards: [MemoryShard]
        var lookups: [Identifier: Set<[UInt8]>] = [:]
        /// As they were met.
        var headerSegments: [[UInt8]] = []
        var inbox: [InboxEntry] = []
        var quarantine: [QuarantinedPayload] = []
        var quarantineUsage = QuarantineUsage()
        var lastQuarantineID: Int64 = 0
        var bookmarks: [[UInt8]: [UInt8]] = [:]
        var featureLevel = FeatureLevel.first
    }

    struct Identifier: Hashable {
        var kind: IdentifierHash.Kind
        var hash: IdentifierHash
    }

    package let identity: StoreIdentity
    private let codec = EvidenceCodec()
    private let quarantineLimits: QuarantineLimits
    let state: Mutex<State>

    package init(shardCount: Int = 256, quarantineLimits: QuarantineLimits = QuarantineLimits()) {
        self.identity = StoreIdentity(storeID: .random(in: .min ... .max), restoreGeneration: 0, shardCount: shardCount)
        self.quarantineLimits = quarantineLimits
        self.state = Mutex(State(shards: (0..<shardCount).map { MemoryShard(id: ShardID(rawValue: UInt16($0))) }))
    }

    // MARK: Writing

    package let appendConcurrency = 1

    package func register(_ node: NodeRecord) throws(StoreError) { _ = try self.begin(node, lease: .zero) }

    package func claim(_ claim: ShardClaim) -> [ShardOwnership] {
        self.state.withLock { state in
            claim.shards.map { Int($0.rawValue) }
                .filter { claim.from == nil || state.shards[$0].record.owner?.incarnation == claim.from }
                .map { state.shards[$0].claim(by: claim.owner) }
        }
    }

    package func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        _ = try ShardBatch.check(batches, shardCount: self.identity.shardCount)
        return try self.state.withLock { state throws(StoreError) in
            let owned = batches.map { state.shards[Int($0.shard.rawValue)].isOwned(by: $0) }
            for (batch, isOwned) in zip(batches, owned) where isOwned {
                try state.shards[Int(batch.shard.rawValue)].checkUniqueness(of: batch)
            }
            return zip(batches, owned).map { batch, isOwned in
                guard isOwned else { return .fenced }
                for lookup in batch.lookups {
                    state.lookups[Identifier(kind: lookup.kind, hash: lookup.hash), default: []].insert(lookup.key)
                }
                for header in batch.events.lazy.compactMap(\.evidence).flatMap(\.headers)
                where !state.headerSegments.contains(where: { $0.isSame(as: header) }) {
                    state.headerSegments.append(header)
                }
                for row in batch.outbox { state.keep(row) }
                return .appended(head: state.shards[Int(batch.shard.rawValue)].append(batch))
            }
        }
    }

    // MARK: Reading

    package func nodes() -> [NodeRecord] {
        self.state.withLock { $0.sortedNodes.map(\.record) }
    }

    package func shards() -> [ShardRecord] { self.state.withLock { $0.shards.map(\.record) } }

    private func read<Result>(_ shard: ShardID, _ body: (MemoryShard) -> sending Result) -> sending Result {
        self.state.withLock { body($0.shards[Int(shard.rawValue)]) }
    }

    package func streams(_ keys: [[UInt8]], in shard: ShardID) -> [StreamRow] {
        self.read(shard) { shard in keys.compactMap { shard.streams[$0] } }
    }

    package func streams(withPrefix prefix: [UInt8], in shard: ShardID, limit: Int) -> [StreamRow] {
        self.read(shard) { $0.streams(limit: limit) { $0.starts(with: prefix) } }
    }

    package func streams(withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int) -> [[StreamRow]] {
        prefixes.map { self.streams(withPrefix: $0.prefix, in: $0.shard, limit: limit) }
    }

    package func streams(in shard: ShardID, after key: [UInt8]?, limit: Int) -> [StreamRow] {
        self.read(shard) { $0.streams(limit: limit) { candidate in key.map { $0.precedes(candidate) } ?? true } }
    }

    package func due(in shard: ShardID, at moment: Int64, limit: Int) -> [StreamRow] {
        self.read(shard) { $0.due(at: moment, limit: limit) }
    }

    package func nextDue(in shard: ShardID) -> Int64? {
        self.read(shard) { $0.streams.values.compactMap(\.nextDue).min() }
    }

    package func events(withDedupKeys dedupKeys: [[UInt8]], in shard: ShardID) -> [StoredEvent] {
        self.read(shard) { shard in dedupKeys.compactMap { shard.placeOfDedupKey[$0] }.map { shard.events[$0] } }
    }

    package func events(
        of key: [UInt8], in shard: ShardID, after version: StreamVersion, limit: Int
    ) -> [StoredEvent] {
        self.read(shard) { shard in
            let events = shard.placesOfStream[key, default: []].lazy.map { shard.events[$0] }
            return Array(events.filter { $0.version > version }.prefix(limit))
        }
    }

    package func events(in shard: ShardID, after sequence: LogSequence, limit: Int) -> [StoredEvent] {
        self.read(shard) { Array($0.events.dropFirst(Int(sequence.rawValue)).prefix(limit)) }
    }

    package func heads() -> [Position] {
        self.state.withLock { state in
            state.shards.map { shard in
                Position(shard: shard.id, sequence: shard.head, incarnationTag: shard.tag(of: shard.head) ?? 0)
            }
        }
    }

    package func incarnationTag(of sequence: LogSequence, in shard: ShardID) -> UInt32? {
        self.read(shard) { $0.tag(of: sequence) }
    }

    package func evidence(of sequence: LogSequence, in shard: ShardID) throws(StoreError) -> Evidence? {
        switch self.read(shard, { $0.evidence[sequence] }) {
        case .kept(let encoded)?: .kept(try self.codec.decode(encoded))
        case .erased(let sha256)?: .erased(sha256: sha256)
        case nil: nil
        }
    }

    package func headerSegments(limit: Int) -> [[UInt8]] {
        self.state.withLock { $0.headerSegments.suffix(limit).reversed() }
    }

    package func streams(for identifiers: [SoughtIdentifier]) -> [[[UInt8]]] {
        self.state.withLock { state in
            identifiers.map { sought in
                Array(state.lookups[Identifier(kind: sought.kind, hash: sought.hash), default: []]).sortedOnce
            }
        }
    }

    // MARK: Beside the log

    package func eraseEvidence(of key: [UInt8], in shard: ShardID) throws(StoreError) {
        try self.state.withLock { state throws(StoreError) in
            try state.shards[Int(shard.rawValue)].eraseEvidence(of: key, with: self.codec)
        }
    }

    package func replaceBodies(_ replacements: [BodyReplacement], in shard: ShardID) {
        self.state.withLock { $0.shards[Int(shard.rawValue)].replaceBodies(replacements) }
    }

    package func removeLookups(of identifiers: [SoughtIdentifier]) {
        self.state.withLock { state in
            for sought in identifiers {
                state.lookups[Identifier(kind: sought.kind, hash: sought.hash)] = nil
            }
        }
    }

    /// There were never any.
    package func clearLookups(limit: Int) -> [ClearLookup] { [] }

    package func replace(_ lookups: [ClearLookup], by hashes: [IdentifierHash?]) {}

    package func quarantine(_ payload: QuarantinedPayload) throws(StoreError) {
        try self.state.withLock { state throws(StoreError) in
            guard !state.quarantine.contains(where: { $0.digest == payload.digest }) else { return }
            try self.quarantineLimits.check(payload, beside: state.quarantineUsage)
            state.quarantineUsage.add(bytes: payload.raw.count, reason: payload.reason)
            state.lastQuarantineID += 1
            var payload = payload
            payload.id = state.lastQuarantineID
            state.quarantine.append(payload)
        }
    }

    package func quarantined(after id: Int64, limit: Int) -> [QuarantinedPayload] {
        self.state.withLock { state in Array(state.quarantine.lazy.filter { $0.id > id }.prefix(limit)) }
    }

    package func removeQuarantined(_ id: Int64) {
        self.state.withLock { state in
            guard let index = state.quarantine.firstIndex(where: { $0.id == id }) else { return }
            let payload = state.quarantine.remove(at: index)
            state.quarantineUsage.add(rows: -1, bytes: -payload.raw.count, reason: payload.reason)
        }
    }

    package func quarantineDepth() -> Int {
        self.state.withLock { $0.quarantine.count }
    }

    package func statistics() -> StoreStatistics {
        self.state.withLock { state in
            StoreStatistics(
                streams: state.shards.reduce(0) { $0 + $1.streams.count },
                events: state.shards.reduce(0) { $0 + $1.events.count })
        }
    }

    package func checkFiles() -> String? { nil }

    package func ping() {}

    package func close() {}
}
