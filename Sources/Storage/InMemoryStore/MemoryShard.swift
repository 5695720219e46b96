import EventLog
import Evidence

/// The evidence of an event as it is kept.
enum StoredEvidence {
    case kept(EncodedEvidence)
    case erased(sha256: [UInt8])
}

/// One shard of the in-memory store: its row, its log and what is found through it.
struct MemoryShard {
    let id: ShardID
    private var epochs: [(epoch: Epoch, owner: ShardRecord.Owner, first: Int64)] = []
    private(set) var events: [StoredEvent] = []
    private(set) var evidence: [LogSequence: StoredEvidence] = [:]
    private(set) var streams: [[UInt8]: StreamRow] = [:]
    private(set) var placeOfDedupKey: [[UInt8]: Int] = [:]
    private(set) var placesOfStream: [[UInt8]: [Int]] = [:]

    init(id: ShardID) { self.id = id }

    var head: LogSequence { LogSequence(rawValue: Int64(self.events.count)) }

    // MARK: Ownership

    var record: ShardRecord {
        let last = self.epochs.last
        return ShardRecord(
            shard: self.id, epoch: last?.epoch ?? Epoch(rawValue: 0), owner: last?.owner, head: self.head)
    }

    mutating func claim(by owner: ShardRecord.Owner) -> ShardOwnership {
        let epoch = Epoch(rawValue: self.record.epoch.rawValue + 1)
        self.epochs.append((epoch, owner, self.head.rawValue + 1))
        return ShardOwnership(
            shard: self.id, epoch: epoch, incarnation: owner.incarnation, head: self.head,
            lastRecordedAt: self.events.last?.at ?? 0)
    }

    func isOwned(by batch: ShardBatch) -> Bool {
        guard let last = self.epochs.last else { return false }
        return last.epoch == batch.epoch && last.owner.incarnation == batch.incarnation && self.head == batch.head
    }

    /// All that a removal from the inbox rests on is in the log.
    func holds(_ removal: InboxRemoval) -> Bool {
        guard let last = self.epochs.last else { return false }
        return last.epoch == removal.epoch && last.owner.incarnation == removal.incarnation
            && self.head >= removal.head
    }

    func tag(of sequence: LogSequence) -> UInt32? {
        guard sequence <= self.head else { return nil }
        return self.epochs.last { $0.first <= sequence.rawValue }?.owner.incarnation.tag ?? 0
    }

    // MARK: Appending

    func checkUniqueness(of batch: ShardBatch) throws(StoreError) {
        var dedupKeys = Set<[UInt8]>()
        var versions: [[UInt8]: Set<StreamVersion>] = [:]
        for event in batch.events {
            let places = self.placesOfStream[event.key, default: []]
            guard self.placeOfDedupKey[event.dedupKey] == nil, dedupKeys.insert(event.dedupKey).inserted,
                !places.contains(where: { self.events[$0].version == event.version }),
                versions[event.key, default: []].insert(event.version).inserted
            else { throw StoreError(.conflict, "a dedup key or a version is there already") }
        }
    }

    /// Takes a batch that the fence and the checks have let through.
    mutating func append(_ batch: ShardBatch) -> LogSequence {
        for event in batch.events {
            let place = self.events.count
            let sequence = LogSequence(rawValue: Int64(place) + 1)
            self.events.append(
                StoredEvent(
                    shard: self.id, sequence: sequence, epoch: batch.epoch, key: event.key, version: event.version,
                    kind: event.kind, dedupKey: event.dedupKey, at: event.at, body: event.body,
                    entitlement: event.entitlement))
            self.placeOfDedupKey[event.dedupKey] = place
            self.placesOfStream[event.key, default: []].append(place)
            if let evidence = event.evidence { self.evidence[sequence] = .kept(evidence) }
        }
        for row in batch.streams { self.streams[row.key] = row }
        return self.head
    }

    mutating func eraseEvidence(of key: [UInt8], with codec: EvidenceCodec) throws(StoreError) {
        for place in self.placesOfStream[key, default: []] {
            let sequence = self.events[place].sequence
            guard case .kept(let encoded) = self.evidence[sequence] else { continue }
            self.evidence[sequence] = .erased(sha256: ContentHash.sha256(of: try codec.decode(encoded)))
        }
    }

    mutating func replaceBodies(_ replacements: [BodyReplacement]) {
        for one in replacements {
            let place = Int(one.sequence.rawValue) - 1
            guard self.events.indices.contains(place), self.events[place].body == one.old else { continue }
            self.events[place].body = one.new
        }
    }

    // MARK: Finding

    func streams(limit: Int, where matches: ([UInt8]) -> Bool) -> [StreamRow] {
        let rows = self.streams.values.filter { matches($0.key) }
        return Array(rows.sorted { $0.key.precedes($1.key) }.prefix(limit))
    }

    func due(at moment: Int64, limit: Int) -> [StreamRow] {
        let rows = self.streams.values.compactMap { row in row.nextDue.map { (due: $0, row: row) } }
            .filter { $0.due <= moment }
            .sorted { $0.due == $1.due ? $0.row.key.precedes($1.row.key) : $0.due < $1.due }
        return rows.prefix(limit).map(\.row)
    }
}

extension [UInt8] {
    /// Byte by byte, as databases order keys.
    func precedes(_ other: [UInt8]) -> Bool { self.lexicographicallyPrecedes(other) }
}
