import EventLog
import Synchronization

/// How far a mirror has followed each shard. Readers take no lock; of each shard there is one writer at a time. Sendable,
/// since all of it are atomic words.
struct ShardProgress: @unchecked Sendable {
    /// When never, all is older.
    static let never = Int64.min

    /// Nanoseconds since the mirror's origin up to which a shard is current, one word a shard.
    private let currency: Words
    /// A line for each shard: how often it was written; sequence and tag for even counts; sequence and tag for odd ones.
    private let positions: Words
    let shardCount: Int

    private static let stride = 8

    init(shardCount: Int, in memory: MirrorMemory) {
        self.shardCount = shardCount
        self.currency = memory.words(shardCount)
        self.positions = memory.words(shardCount * Self.stride)
        for shard in 0..<shardCount { self.currency[shard].store(UInt64(bitPattern: Self.never), ordering: .relaxed) }
    }

    @inline(__always)
    func isStale(_ shard: Int, before bound: Int64) -> Bool {
        Int64(bitPattern: self.currency[shard].load(ordering: .acquiring)) < bound
    }

    /// Later than it was, or `never`.
    func setCurrent(_ shard: Int, upTo moment: Int64) {
        let old = Int64(bitPattern: self.currency[shard].load(ordering: .relaxed))
        guard moment == Self.never || old < moment else { return }
        self.currency[shard].store(UInt64(bitPattern: moment), ordering: .releasing)
    }

    func current(_ shard: Int) -> Int64 { Int64(bitPattern: self.currency[shard].load(ordering: .acquiring)) }

    func position(of shard: ShardID) -> Position {
        let line = self.positions + Int(shard.rawValue) * Self.stride
        while true {
            let count = line[0].load(ordering: .acquiring)
            let pair = line + (count & 1 == 0 ? 1 : 3)
            let (sequence, tag) = (pair[0].load(ordering: .relaxed), pair[1].load(ordering: .relaxed))
            atomicMemoryFence(ordering: .acquiring)
            guard line[0].load(ordering: .relaxed) == count else { continue }
            return Position(
                shard: shard, sequence: LogSequence(rawValue: Int64(bitPattern: sequence)),
                incarnationTag: UInt32(truncatingIfNeeded: tag))
        }
    }

    func setPosition(_ position: Position) {
        let line = self.positions + Int(position.shard.rawValue) * Self.stride
        let count = line[0].load(ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        let pair = line + (count & 1 == 0 ? 3 : 1)
        pair[0].store(UInt64(bitPattern: position.sequence.rawValue), ordering: .relaxed)
        pair[1].store(UInt64(position.incarnationTag), ordering: .relaxed)
        line[0].store(count + 1, ordering: .releasing)
    }
}
