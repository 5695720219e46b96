import EventLog
import Testing

extension StoreContract {
    static let inbox = [
        StoreContract("what is put into the inbox is there once, until it is removed") { store in
            let writer = try StoreWriter(store)
            let rows = (0..<4).map { InboxRow(key: UInt8($0), shard: UInt16($0 % 2), receivedAt: Int64(100 - $0)) }
            for row in rows + rows { try await store.put(row) }
            var other = rows[0]
            other.raw = [9]
            try await store.put(other)
            let both = [ShardID(rawValue: 0), ShardID(rawValue: 1)]
            #expect(try await store.inbox(of: both, after: nil, limit: 10) == rows.reversed())
            #expect(try await store.inbox(of: both, after: nil, limit: 3) == rows.dropFirst().reversed())
            #expect(try await store.inbox(of: both, after: rows[2], limit: 3) == [rows[1], rows[0]])
            #expect(try await store.inbox(of: both, after: rows[0], limit: 3).isEmpty)
            #expect(try await store.inbox(of: [both[1]], after: nil, limit: 10) == [rows[3], rows[1]])
            #expect(try await store.inbox(of: [], after: nil, limit: 10).isEmpty)
            #expect(try await store.inboxDepth() == InboxDepth(waiting: 4, parked: 0, oldest: 97))

            let unknown = InboxRow(key: 7, shard: 0, receivedAt: 0)
            #expect(try await store.removeFromInbox([rows[1], rows[3], unknown].map(writer.removal)).isEmpty)
            #expect(try await store.removeFromInbox([]).isEmpty)
            #expect(try await store.inbox(of: both, after: nil, limit: 10) == [rows[2], rows[0]])
            #expect(try await store.inboxDepth() == InboxDepth(waiting: 2, parked: 0, oldest: 98))
        },
        StoreContract("what a commit leaves to do is there with its events, and for any shard") { store in
            var writer = try StoreWriter(store)
            let rows = (0..<3).map { InboxRow(key: UInt8($0), shard: UInt16($0), receivedAt: Int64($0)) }
            var first = writer.batch(0, [writer.event([1])])
            first.outbox = [rows[0], rows[2]]
            var second = writer.batch(1, [writer.event([2])])
            second.outbox = [rows[1]]
            #expect(try writer.append([first, second]).allSatisfy { $0 != .fenced })
            let shards = Array(store.identity.shards.prefix(3))
            #expect(try await store.inbox(of: shards, after: nil, limit: 10) == rows)
            #expect(try await store.inboxDepth() == InboxDepth(waiting: 3, parked: 0, oldest: 0))

            // What is there already stays as it is: another commit of unknown outcome may have left it.
            var again = writer.batch(0, [writer.event([1])])
            var other = rows[0]
            other.raw = [9]
            again.outbox = [other]
            #expect(try writer.append([again]) != [.fenced])
            #expect(try await store.inbox(of: shards, after: nil, limit: 10) == rows)
        },
        StoreContract("a commit that does not happen leaves nothing to do") { store in
            var writer = try StoreWriter(store)
            let row = InboxRow(key: 1, shard: 1, receivedAt: 1)
            var fenced = writer.batch(0, [writer.event([1])])
            fenced.epoch = Epoch(rawValue: fenced.epoch.rawValue + 1)
            fenced.outbox = [row]
            let sound = writer.batch(2, [writer.event([2], dedupKey: [7])])
            #expect(try store.append([fenced, sound]).first == .fenced)
            #expect(try await store.inboxDepth().waiting == 0)

            let next = try StoreWriter(resuming: writer)
            var conflicting = next
            var batch = conflicting.batch(2, [conflicting.event([2], dedupKey: [7])])
            batch.outbox = [row]
            #expect(throws: StoreError.self) { try store.append([batch]) }
            var nowhere = conflicting.batch(3, [conflicting.event([3])])
            nowhere.outbox = [InboxRow(key: 1, shard: UInt16(Self.shardCount), receivedAt: 1)]
            #expect(throws: StoreError.self) { try store.append([nowhere]) }
            #expect(try await store.inboxDepth().waiting == 0)
        },
        StoreContract("what fails too often is parked, and is not lost") { store in
            let writer = try StoreWriter(store)
            let rows = (0..<2).map { InboxRow(key: UInt8($0), shard: 0, receivedAt: Int64($0)) }
            for row in rows { try await store.put(row) }
            let shard = [ShardID(rawValue: 0)]
            for attempt in 1...3 {
                #expect(try await store.inbox(of: shard, after: nil, limit: 10) == rows)
                try await store.recordFailedAttempt([rows[0].dedupKey], parkingAt: 3, at: Int64(attempt))
            }
            #expect(try await store.inbox(of: shard, after: nil, limit: 10) == [rows[1]])
            #expect(try await store.inboxDepth() == InboxDepth(waiting: 1, parked: 1, oldest: 1))
            // It came again: it is still there, and still parked.
            try await store.put(rows[0])
            #expect(try await store.inbox(of: shard, after: nil, limit: 10) == [rows[1]])
            #expect(try await store.removeFromInbox([writer.removal(of: rows[1])]).isEmpty)
            #expect(try await store.inboxDepth() == InboxDepth(waiting: 0, parked: 1, oldest: nil))
        },
    ]
}

extension InboxRow {
    init(key: UInt8, shard: UInt16, receivedAt: Int64) {
        self.init(dedupKey: [key], shard: ShardID(rawValue: shard), receivedAt: receivedAt, raw: [key, 1, 2])
    }
}
