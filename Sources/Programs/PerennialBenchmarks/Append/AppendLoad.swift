import EventLog

/// Batches over shards drawn uniformly, of streams that are mostly there already, with bodies that nothing compresses.
struct AppendLoad {
    static let eventsPerBatch = 256
    static let bodySize = 2048
    private static let streamsPerShard = 64

    private var random = SystemRandomNumberGenerator()
    private var ownerships: [ShardID: ShardOwnership]
    private var versions: [[UInt8]: Int64] = [:]
    private let shards: [ShardID]

    init(_ ownerships: [ShardOwnership]) {
        self.shards = ownerships.map(\.shard)
        self.ownerships = Dictionary(uniqueKeysWithValues: ownerships.map { ($0.shard, $0) })
    }

    /// What comes next, provided that all before it was stored.
    mutating func next() throws -> [ShardBatch] {
        var batches: [ShardID: ShardBatch] = [:]
        for _ in 0..<Self.eventsPerBatch {
            let shard = self.shards[Int.random(in: 0..<self.shards.count, using: &self.random)]
            guard let owned = self.ownerships[shard] else { throw BenchmarkError("a shard was not taken") }
            var batch =
                batches[shard]
                ?? ShardBatch(
                    shard: shard, epoch: owned.epoch, incarnation: owned.incarnation, head: owned.head, events: [])
            self.add(to: &batch)
            batches[shard] = batch
        }
        for batch in batches.values {
            self.ownerships[batch.shard]?.head = LogSequence(rawValue: batch.head.rawValue + Int64(batch.events.count))
        }
        return batches.values.sorted { $0.shard < $1.shard }
    }

    /// The next event of one of the shard's streams, with a key and a row of the usual sizes.
    private mutating func add(to batch: inout ShardBatch) {
        let stream = Int.random(in: 0..<Self.streamsPerShard, using: &self.random)
        let key =
            [1] + Array("20000\(Int(batch.shard.rawValue) * Self.streamsPerShard + stream + 10_000_000_000)".utf8) + [0]
            + Array("Production".utf8) + [0] + Array("com.acme.reader".utf8)
        let version = self.versions[key, default: 0] + 1
        self.versions[key] = version
        let entitlement = self.bytes(80)
        batch.events.append(
            NewEvent(
                key: key, version: StreamVersion(rawValue: version), kind: "renewed", dedupKey: self.bytes(16),
                at: 1_700_000_000_000 + version, body: self.bytes(Self.bodySize), entitlement: entitlement))
        batch.streams.removeAll { $0.key == key }
        batch.streams.append(
            StreamRow(
                key: key, version: StreamVersion(rawValue: version),
                sequence: LogSequence(rawValue: batch.head.rawValue + Int64(batch.events.count)), state: self.bytes(16),
                entitlement: entitlement, nextDue: nil))
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        for start in stride(from: 0, to: count, by: 8) {
            let word = self.random.next()
            for place in start..<min(start + 8, count) {
                bytes[place] = UInt8(truncatingIfNeeded: word >> UInt64(8 * (place - start)))
            }
        }
        return bytes
    }
}
