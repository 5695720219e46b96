package import EventLog

/// The questions of one batch by shard, so that each shard is asked once.
package struct ShardOrder {
    /// Those that are asked, ascending.
    package let shards: [ShardID]
    /// The numbers of the questions, shard by shard.
    private let numbers: [Int]
    /// Where each shard's numbers end.
    private let ends: [Int]

    // Of a single question, which most batches are.
    private static let onlyNumber = [0]
    private static let onlyEnd = [1]

    init(_ questions: [ShardID], shardCount: Int) {
        if questions.count == 1 {
            (self.shards, self.numbers, self.ends) = (questions, Self.onlyNumber, Self.onlyEnd)
            return
        }
        // Counted, summed up, and put in their places.
        var next = [Int](repeating: 0, count: shardCount + 1)
        for shard in questions { next[Int(shard.rawValue) + 1] += 1 }
        var shards: [ShardID] = []
        var ends: [Int] = []
        for shard in 0..<shardCount where next[shard + 1] > 0 {
            shards.append(ShardID(rawValue: UInt16(shard)))
            ends.append((ends.last ?? 0) + next[shard + 1])
        }
        for shard in 0..<shardCount { next[shard + 1] += next[shard] }
        var numbers = [Int](repeating: 0, count: questions.count)
        for (number, shard) in questions.enumerated() {
            numbers[next[Int(shard.rawValue)]] = number
            next[Int(shard.rawValue)] += 1
        }
        (self.shards, self.numbers, self.ends) = (shards, numbers, ends)
    }

    package var parts: [(shard: ShardID, numbers: ArraySlice<Int>)] {
        var parts: [(shard: ShardID, numbers: ArraySlice<Int>)] = []
        parts.reserveCapacity(self.shards.count)
        self.forEach { parts.append(($0, $1)) }
        return parts
    }

    package func forEach(_ body: (ShardID, ArraySlice<Int>) -> Void) {
        var start = 0
        for (shard, end) in zip(self.shards, self.ends) {
            body(shard, self.numbers[start..<end])
            start = end
        }
    }
}
