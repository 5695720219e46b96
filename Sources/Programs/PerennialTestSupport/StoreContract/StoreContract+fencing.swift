import EventLog
import Subscriptions
import Testing

extension StoreContract {
    static let fencing = [
        StoreContract("a shard nobody has claimed takes nothing") { store in
            let batch = ShardBatch(
                shard: ShardID(rawValue: 0), epoch: Epoch(rawValue: 0), incarnation: Incarnation(rawValue: 0),
                head: .zero, events: [])
            let outcomes = try store.append([batch])
            #expect(outcomes == [.fenced])
        },
        StoreContract("a claim raises every epoch and finds the heads") { store in
            var first = try StoreWriter(store, incarnation: 1)
            try first.append([first.event([1]), first.event([2])], to: 9)
            let second = try StoreWriter(store, incarnation: 2)
            #expect(second.ownership.count == Self.shardCount)
            for (before, after) in zip(first.ownership, second.ownership) {
                #expect(after.epoch.rawValue == before.epoch.rawValue + 1)
                #expect(after.incarnation == Incarnation(rawValue: 2))
                #expect(after.head == before.head)
            }
            #expect(second.ownership[9].head == LogSequence(rawValue: 2))
            #expect(second.ownership[9].lastRecordedAt == 1_700_000_000_001)
            #expect(second.ownership[8].lastRecordedAt == 0)
        },
        StoreContract("a claim takes the shards it names, and from whom it says") { store in
            let first = ShardRecord.Owner(node: NodeID(rawValue: "a"), incarnation: Incarnation(rawValue: .min))
            let second = ShardRecord.Owner(node: NodeID(rawValue: "b"), incarnation: Incarnation(rawValue: 5))
            let shards = [3, 1, 2].map { ShardID(rawValue: $0) }
            #expect(try store.claim(ShardClaim(shards, for: first)).map(\.shard) == shards)
            #expect(try store.claim(ShardClaim([shards[1]], for: second)).map(\.epoch.rawValue) == [2])

            // What is not its own any more it does not get back.
            let again = try store.claim(ShardClaim(shards, for: first, from: first.incarnation))
            #expect(again.map(\.shard) == [shards[0], shards[2]])
            #expect(again.map(\.epoch.rawValue) == [2, 2])
            #expect(try store.claim(ShardClaim([], for: first)).isEmpty)
            let nobodys = [ShardID(rawValue: 0)]
            #expect(try store.claim(ShardClaim(nobodys, for: first, from: first.incarnation)).isEmpty)

            let records = try await store.shards()
            #expect(records.map(\.shard) == store.identity.shards)
            #expect(records.prefix(5).map(\.owner) == [nil, second, first, first, nil])
            #expect(records.prefix(5).map(\.epoch.rawValue) == [0, 2, 2, 2, 0])
            #expect(records.allSatisfy { $0.head == .zero })
        },
        StoreContract("nodes are found as they were last registered") { store in
            #expect(try await store.nodes().isEmpty)
            let key = Array(UInt8(0)..<32)
            var first = NodeRecord(
                id: NodeID(rawValue: "b"), incarnation: Incarnation(rawValue: -1), endpoint: "tcp://127.0.0.1:1",
                curveKeys: [key, key.reversed()], featureLevel: .first)
            let second = NodeRecord(
                id: NodeID(rawValue: "a"), incarnation: Incarnation(rawValue: 2), featureLevel: .first)
            for node in [first, second] { try store.register(node) }
            #expect(try await store.nodes() == [second, first])
            first.incarnation = Incarnation(rawValue: 7)
            first.endpoint = nil
            first.curveKeys = [key]
            try store.register(first)
            #expect(try await store.nodes() == [second, first])
        },
        StoreContract("an owner that was replaced is fenced") { store in
            var old = try StoreWriter(store, incarnation: 1)
            try old.append([old.event([1])])
            _ = try StoreWriter(store, incarnation: 2)
            #expect(try old.append([old.event([1])]) == [.fenced])
            #expect(try await store.log().count == 1)
        },
        StoreContract("epoch, incarnation and head each have to be right") { store in
            var writer = try StoreWriter(store)
            try writer.append([writer.event([1])])
            let right = writer.batch(0, [writer.event([1])])
            var batches = [right, right, right, right, right]
            batches[0].epoch = Epoch(rawValue: right.epoch.rawValue - 1)
            batches[1].epoch = Epoch(rawValue: right.epoch.rawValue + 1)
            batches[2].incarnation = Incarnation(rawValue: right.incarnation.rawValue + 1)
            batches[3].head = .zero
            batches[4].head = LogSequence(rawValue: right.head.rawValue + 1)
            for batch in batches { #expect(try store.append([batch]) == [.fenced]) }
            #expect(try await store.log().count == 1)
            #expect(try store.append([right]) == [.appended(head: LogSequence(rawValue: 2))])
        },
        StoreContract("a fenced shard leaves nothing, the others of its batch are stored") { store in
            // given a shard that has something
            var writer = try StoreWriter(store)
            var notifications = SyntheticNotifications()
            try writer.append([writer.event([1])], to: 1)
            let shard = ShardID(rawValue: 1)
            let log = try await store.log(1)
            let rows = try await store.streams([[1]], in: shard)

            // when an earlier owner adds to it, in a batch with others, what would be a conflict for its present one
            var next = writer.event([1], evidence: [notifications.renewal(customer: 1, period: 1)])
            var fenced = writer.batch(1, [next, writer.event([3], dedupKey: log[0].dedupKey)])
            fenced.epoch = Epoch(rawValue: fenced.epoch.rawValue - 1)
            fenced.lookups = [Lookup(kind: .customer, value: "c", key: [1])]
            let outcomes = try writer.append([
                writer.batch(0, [writer.event([0])]), fenced, writer.batch(2, [writer.event([2])]),
            ])

            // then
            let stored = AppendOutcome.appended(head: LogSequence(rawValue: 1))
            #expect(outcomes == [stored, .fenced, stored])
            #expect(try await store.log(1) == log)
            #expect(try await store.streams([[1], [3]], in: shard) == rows)
            #expect(try await store.evidence(of: LogSequence(rawValue: 2), in: shard) == nil)
            #expect(try await store.streams(for: .customer, value: "c").isEmpty)
            #expect(try await store.statistics() == StoreStatistics(streams: 3, events: 3))
            // Nor is anything in the way of what takes those places.
            next.evidence = nil
            #expect(try writer.append([next], to: 1) == [.appended(head: LogSequence(rawValue: 2))])
            #expect(try await store.evidence(of: LogSequence(rawValue: 2), in: shard) == nil)
        },
    ]

    static let conflicts = [
        StoreContract("a dedup key that is stored already is a conflict, and nothing of any shard is stored") { store in
            var writer = try StoreWriter(store)
            try writer.append([writer.event([1], dedupKey: [7])])
            let batches = [
                writer.batch(1, [writer.event([2])]),
                writer.batch(0, [writer.event([3]), writer.event([4], dedupKey: [7])]),
            ]
            Self.expectConflict { try store.append(batches) }
            #expect(try await store.statistics() == StoreStatistics(streams: 1, events: 1))
            #expect(try await store.log(1).isEmpty)
        },
        StoreContract("a dedup key twice in one batch is a conflict; in two shards it is none") { store in
            var writer = try StoreWriter(store)
            let twice = writer.batch(0, [writer.event([1], dedupKey: [7]), writer.event([2], dedupKey: [7])])
            Self.expectConflict { try store.append([twice]) }
            #expect(try await store.log().isEmpty)
            let apart = [
                writer.batch(0, [writer.event([3], dedupKey: [7])]),
                writer.batch(1, [writer.event([4], dedupKey: [7])]),
            ]
            #expect(try store.append(apart).count == 2)
        },
        StoreContract("a version of a stream is stored once") { store in
            var writer = try StoreWriter(store)
            let first = writer.event([1])
            try writer.append([first])
            var again = first
            again.dedupKey = [99]
            let batch = writer.batch(0, [again])
            Self.expectConflict { try store.append([batch]) }
            #expect(try await store.log().count == 1)
        },
        StoreContract("a batch that contradicts itself is a conflict") { store in
            var writer = try StoreWriter(store)
            let good = writer.batch(0, [writer.event([1])])
            var noRow = good
            noRow.streams = []
            var twoRows = good
            twoRows.streams += good.streams
            var strangeLookup = good
            strangeLookup.lookups = [Lookup(kind: .customer, value: "c", key: [2])]
            var noShard = good
            noShard.shard = ShardID(rawValue: UInt16(Self.shardCount))
            for batches in [[noRow], [twoRows], [strangeLookup], [noShard], [good, good]] {
                Self.expectConflict { try store.append(batches) }
            }
            #expect(try await store.statistics() == StoreStatistics(streams: 0, events: 0))
        },
        StoreContract("dedup keys are found again, in the order they are asked for") { store in
            var writer = try StoreWriter(store)
            try writer.append([writer.event([1], dedupKey: [1]), writer.event([2], dedupKey: [2])])
            let found = try await store.events(withDedupKeys: [[2], [3], [1]], in: ShardID(rawValue: 0))
            #expect(found.map(\.dedupKey) == [[2], [1]])
            #expect(try await store.events(withDedupKeys: [[1]], in: ShardID(rawValue: 1)).isEmpty)
        },
    ]

    private static func expectConflict(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> [AppendOutcome]
    ) {
        #expect(sourceLocation: sourceLocation) {
            try body()
        } throws: { error in
            (error as? StoreError)?.code == .conflict
        }
    }
}
