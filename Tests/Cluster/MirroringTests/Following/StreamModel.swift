import EventLog
import Mirroring
import WireProtocol

/// A store of a few shards whose owners publish: what a follower would hear if nothing was lost.
struct StreamModel {
    struct Event {
        var key: UInt8
        var version: Int64
        var epoch: Epoch
        var tag: UInt32
        /// Of the owner that wrote it.
        var rules: UInt32
    }

    struct Shard {
        var log: [Event] = []
        var epoch = Epoch(rawValue: 1)
        var tag: UInt32 = 1
        var rules: UInt32 = 1
        var owner: SourceID

        func position(_ count: Int) -> StreamPosition {
            count == 0
                ? .start : StreamPosition(sequence: LogSequence(rawValue: Int64(count)), tag: self.log[count - 1].tag)
        }

        /// The newest version of each key.
        var rows: [UInt8: Int64] {
            Dictionary(self.log.map { ($0.key, $0.version) }) { $1 }
        }
    }

    static let shardCount = 3
    static let sources = [SourceID(rawValue: 1), SourceID(rawValue: 2), SourceID(rawValue: 3)]
    private static let keyCount: UInt8 = 12

    private(set) var origin = StreamOrigin(storeID: 7, restoreGeneration: 0)
    private(set) var shards = (0..<Self.shardCount).map { Shard(owner: Self.sources[$0]) }
    private(set) var rewinds = 0
    private var lastTag: UInt32 = 1

    // MARK: What happens

    /// - Returns: what is published of it. An owner that has just begun does not know what came before.
    mutating func commit(to shard: Int, key: UInt8) -> StreamDelta {
        let key = key % Self.keyCount
        let isFirst = self.shards[shard].log.last?.epoch != self.shards[shard].epoch
        let version = (self.shards[shard].rows[key] ?? 0) + 1
        let (epoch, tag) = (self.shards[shard].epoch, self.shards[shard].tag)
        self.shards[shard].log.append(
            Event(key: key, version: version, epoch: epoch, tag: tag, rules: self.shards[shard].rules))
        var delta = self.delta(shard, self.shards[shard].log.count)
        if isFirst { delta.previous = nil }
        return delta
    }

    mutating func takeOver(_ shard: Int, by source: SourceID, rules: UInt32) {
        self.lastTag += 1
        self.shards[shard].owner = source
        self.shards[shard].epoch = Epoch(rawValue: self.shards[shard].epoch.rawValue + 1)
        self.shards[shard].tag = self.lastTag
        self.shards[shard].rules = rules
    }

    /// The store loses events that it had acknowledged, and somebody takes the shard.
    mutating func lose(_ count: Int, of shard: Int, thenOwnedBy source: SourceID, rules: UInt32) {
        self.rewinds += 1
        self.shards[shard].log.removeLast(min(count, self.shards[shard].log.count))
        self.takeOver(shard, by: source, rules: rules)
    }

    /// The same, and the store has forgotten the epoch as well: whoever takes the shard gets its number once more.
    mutating func forget(_ count: Int, of shard: Int, thenOwnedBy source: SourceID) {
        let epoch = self.shards[shard].epoch
        self.lose(count, of: shard, thenOwnedBy: source, rules: self.shards[shard].rules)
        self.shards[shard].epoch = epoch
    }

    /// A backup is restored, where epochs are what they were.
    mutating func restore(to count: Int) {
        self.rewinds += 1
        self.origin.restoreGeneration += 1
        for shard in self.shards.indices {
            self.shards[shard].log.removeLast(max(0, self.shards[shard].log.count - count))
            self.lastTag += 1
            self.shards[shard].epoch = self.shards[shard].log.last?.epoch ?? Epoch(rawValue: 1)
            self.shards[shard].tag = self.lastTag
        }
    }

    // MARK: What is said of it

    private func image(_ key: UInt8, _ version: Int64, _ rules: UInt32) -> SubscriptionImage {
        // Of an entitlement only the format and the rules.
        SubscriptionImage(
            key: [1, key], version: StreamVersion(rawValue: version), entitlement: [2, UInt8(rules), 0, 0, 0])
    }

    /// - Parameter count: how long the log was then.
    func delta(_ shard: Int, _ count: Int) -> StreamDelta {
        let event = self.shards[shard].log[count - 1]
        return StreamDelta(
            origin: self.origin, epoch: event.epoch, previous: self.shards[shard].position(count - 1),
            position: self.shards[shard].position(count), image: self.image(event.key, event.version, event.rules))
    }

    private func head(_ shard: Int) -> ServedHead {
        ServedHead(
            shard: ShardID(rawValue: UInt16(shard)), epoch: self.shards[shard].epoch,
            position: self.shards[shard].position(self.shards[shard].log.count), rules: self.shards[shard].rules)
    }

    func beat(of source: SourceID) -> StreamBeat {
        let owned = self.shards.indices.filter { self.shards[$0].owner == source }
        return StreamBeat(
            origin: self.origin, node: "node", servicePort: 1, shardCount: Self.shardCount, heads: owned.map(self.head))
    }

    func answer(_ request: StreamRequest, of source: SourceID) -> StreamAnswer {
        StreamAnswer(id: request.id, self.content(request.content, of: source))
    }

    private func content(_ request: StreamRequest.Content, of source: SourceID) -> StreamAnswer.Content {
        switch request {
        case .probe: return .heads(self.beat(of: source))
        case .rules: return .failure(StreamFailure(.malformed))
        case .snapshot(let shard, let after, _):
            let index = Int(shard.rawValue)
            guard self.shards[index].owner == source else { return .failure(StreamFailure(.notOwner)) }
            // Three rows a page.
            let rows = self.shards[index].rows.filter { after.isEmpty || $0.key > after[1] }.sorted { $0.key < $1.key }
            let images = rows.prefix(3).map { self.image($0.key, $0.value, self.shards[index].rules) }
            let next = rows.count > 3 ? images.last?.key ?? [] : []
            return .snapshot(SnapshotPage(origin: self.origin, head: self.head(index), images: images, next: next))
        case .changes(let shard, let position, _):
            let index = Int(shard.rawValue)
            let (log, count) = (self.shards[index].log, Int(position.sequence.rawValue))
            guard self.shards[index].owner == source else { return .failure(StreamFailure(.notOwner)) }
            guard count <= log.count, self.shards[index].position(count) == position else {
                return .failure(StreamFailure(.rewound))
            }
            // Five events a page.
            let deltas = (count..<min(count + 5, log.count)).map { self.delta(index, $0 + 1) }
            return .changes(ChangesPage(origin: self.origin, head: self.head(index), deltas: deltas))
        }
    }
}
