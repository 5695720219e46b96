import EventLog
import Testing

extension SharedStoreContract {
    static let owners = [
        SharedStoreContract("shards are taken as they were seen") { store in
            let (a, b) = (try store.begin("a", incarnation: 1), try store.begin("b", incarnation: 2))
            let seen = try store.view().shards
            let taken = try store.take([seen[3], seen[1]], as: a)
            #expect(taken.map(\.shard.rawValue) == [3, 1])
            #expect(taken.allSatisfy { $0.incarnation == a.owner.incarnation && $0.epoch.rawValue == 1 })
            #expect(try store.record(of: 3).owner == a.owner)

            // Of these two, one is not as it was any more.
            #expect(try store.take([seen[1], seen[2]], as: b).map(\.shard.rawValue) == [2])
            #expect(try store.take([], as: b).isEmpty)
            #expect(try store.view().shards.prefix(4).map(\.epoch.rawValue) == [0, 1, 1, 1])
        },
        SharedStoreContract("only a run that lives takes shards") { store in
            let run = try store.begin("a", incarnation: 1)
            let seen = try store.view().shards
            #expect(try store.depose(try store.status(of: "a")))
            #expect(try store.take(seen, as: run).isEmpty)
            let left = try store.begin("a", incarnation: 2)
            try store.leave(left)
            #expect(try store.take(seen, as: left).isEmpty)
            _ = try store.begin("a", incarnation: 3)
            #expect(try store.take(seen, as: left).isEmpty)
            #expect(try store.view().shards == seen)
        },
        SharedStoreContract("what is taken finds the log and fences its last owner") { store in
            var old = try StoreWriter(store, node: "a", incarnation: 1)
            try old.append([old.event([1]), old.event([2])], to: 9)
            let run = try store.begin("b", incarnation: 2)
            let taken = try #require(try store.take([try store.record(of: 9)], as: run).first)
            #expect(taken.head == LogSequence(rawValue: 2))
            #expect(taken.lastRecordedAt == 1_700_000_000_001)
            #expect(try old.append([old.event([3])], to: 9) == [.fenced])
            let tag = try await store.incarnationTag(of: LogSequence(rawValue: 2), in: ShardID(rawValue: 9))
            #expect(tag == Incarnation(rawValue: 1).tag)
        },
        SharedStoreContract("a shard is given by its owner, to a run that lives") { store in
            let (a, b) = (try store.begin("a", incarnation: 1), try store.begin("b", incarnation: 2))
            let shard = ShardID(rawValue: 5)
            let epoch = try #require(try store.take([try store.record(of: 5)], as: a).first).epoch
            #expect(try !store.give(shard, under: epoch, from: b.owner, to: a.owner))
            #expect(try !store.give(shard, under: Epoch(rawValue: 0), from: a.owner, to: b.owner))
            let stranger = ShardRecord.Owner(node: b.owner.node, incarnation: Incarnation(rawValue: 3))
            #expect(try !store.give(shard, under: epoch, from: a.owner, to: stranger))
            #expect(try store.give(shard, under: epoch, from: a.owner, to: b.owner))
            #expect(try !store.give(shard, under: epoch, from: a.owner, to: b.owner))

            let record = try store.record(of: 5)
            #expect(record.owner == b.owner)
            #expect(record.epoch > epoch)
            let own = ShardClaim([shard], for: b.owner, from: b.owner.incarnation)
            #expect(try store.claim(own).map(\.shard) == [shard])
            let lost = ShardClaim([shard], for: a.owner, from: a.owner.incarnation)
            #expect(try store.claim(lost).isEmpty)
            try store.leave(b)
            let now = try store.record(of: 5).epoch
            #expect(try !store.give(shard, under: now, from: b.owner, to: b.owner))
        },
        SharedStoreContract("of many that take the same shards at once, each shard gets one") { store in
            let runs = try (0..<4).map { try store.begin("node-\($0)", incarnation: Int64($0 + 1)) }
            for _ in 0..<20 {
                let seen = try store.view().shards
                let taken = try await StoreContract.onThreads(runs.count) { lane in
                    let order = lane % 2 == 0 ? seen : seen.reversed()
                    return try store.take(order, as: runs[lane]).map(\.shard)
                }.flatMap(\.self)
                #expect(taken.sorted() == store.identity.shards)
            }
        },
    ]
}
