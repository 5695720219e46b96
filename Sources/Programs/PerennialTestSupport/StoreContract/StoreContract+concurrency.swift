import EventLog
import Foundation
import Testing

extension StoreContract {
    private static let rounds = 20

    static let concurrency = [
        StoreContract("appends of different shards go on side by side") { store in
            let lanes = min(4, store.appendConcurrency)
            let writer = try StoreWriter(store)
            _ = try await Self.onThreads(lanes) { lane in
                var writer = writer
                for _ in 0..<Self.rounds {
                    let batches = stride(from: lane, to: Self.shardCount, by: lanes).map { shard in
                        writer.batch(shard, [writer.event([UInt8(shard)]), writer.event([UInt8(shard), 1])])
                    }
                    let outcomes = try writer.append(batches)
                    #expect(!outcomes.contains(.fenced))
                }
            }
            for shard in 0..<Self.shardCount {
                #expect(try await store.log(shard).map(\.sequence.rawValue) == Array(1...Int64(2 * Self.rounds)))
            }
        },
        StoreContract("of two appends to one shard at the same moment one is stored") { store in
            let writer = try StoreWriter(store)
            for round in 1...Self.rounds {
                let lanes = min(4, store.appendConcurrency)
                let resumed = try StoreWriter(resuming: writer)
                let outcomes = try await Self.onThreads(max(2, lanes)) { lane in
                    var writer = resumed
                    let key = [UInt8(round), UInt8(lane)]
                    return try writer.append([writer.batch(0, [writer.event(key), writer.event(key)])])
                }.flatMap(\.self)
                #expect(outcomes.count { $0 != .fenced } == 1)
            }
            #expect(try await store.log().map(\.sequence.rawValue) == Array(1...Int64(2 * Self.rounds)))
        },
        Self.overlappingAppends,
        StoreContract("a claim while appends are under way finds the last one, and is the last one's end") { store in
            for round in 1...Self.rounds {
                let old = try StoreWriter(store, incarnation: Int64(2 * round))
                let before = old.ownership[0].head.rawValue
                let ends = try await Self.onThreads(2) { lane in
                    guard lane == 0 else {
                        let taken = try StoreWriter(store, incarnation: Int64(2 * round + 1)).ownership[0]
                        return (head: taken.head.rawValue, at: taken.lastRecordedAt)
                    }
                    var (writer, head, at) = (old, before, Int64(0))
                    while true {
                        var event = writer.event([UInt8(round)])
                        event.at = Int64(1_000_000 * round) + head
                        guard try writer.append([writer.batch(0, [event])]) != [.fenced] else { return (head, at) }
                        head += 1
                        at = event.at
                    }
                }
                #expect(ends[0].head == ends[1].head)
                if ends[0].head > before { #expect(ends[0].at == ends[1].at) }
                #expect(try await store.heads()[0].sequence.rawValue == ends[0].head)
            }
        },
    ]

    /// Neighbours have twelve shards in common, and name them in opposite orders.
    package static let overlappingAppends = StoreContract(
        "of appends to overlapping sets of shards at the same moment each shard stores one"
    ) { store in
        let lanes = max(2, min(4, store.appendConcurrency))
        let writer = try StoreWriter(store)
        var expected = [[[UInt8]]](repeating: [], count: 4 * lanes + 12)
        for round in 1...Self.rounds {
            let resumed = try StoreWriter(resuming: writer)
            let stored = try await Self.onThreads(lanes) { lane in
                var writer = resumed
                let shards = 4 * lane..<4 * lane + 16
                let batches = (lane % 2 == 0 ? Array(shards) : shards.reversed()).map { shard in
                    writer.batch(shard, [writer.event([UInt8(round), UInt8(lane), UInt8(shard)])])
                }
                return zip(batches, try writer.append(batches)).filter { $1 != .fenced }.map { batch, _ in
                    (shard: Int(batch.shard.rawValue), key: batch.events[0].key)
                }
            }.flatMap(\.self)
            #expect(stored.map(\.shard).sorted() == Array(expected.indices))
            for (shard, key) in stored { expected[shard].append(key) }
        }
        for (shard, keys) in expected.enumerated() {
            let log = try await store.log(shard)
            #expect(log.map(\.key) == keys)
            #expect(log.map(\.sequence.rawValue) == Array(1...Int64(Self.rounds)))
        }
    }

    /// Runs `body` on so many threads, since writing blocks.
    static func onThreads<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            for lane in 0..<count {
                group.addTask {
                    let value: Value = try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(with: Result { try body(lane) })
                        }
                    }
                    return (lane, value)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
