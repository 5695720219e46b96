import EventLog
import Testing

extension SharedStoreContract {
    static let inbox = [
        SharedStoreContract("what is put into the inbox is there once, until it is removed") { store in
            let writer = try StoreWriter(store)
            let rows = (0..<4).map { InboxRow(key: UInt8($0), shard: UInt16($0 % 2), receivedAt: Int64(100 - $0)) }
            for row in rows + rows { try await store.put(row) }
            var other = rows[0]
            other.raw = [9]
            try await store.put(other)
            let both = [ShardID(rawValue: 0), ShardID(rawValue: 1)]
            #expect(try await store.inbox(of: both, limit: 10) == rows.reversed())
            #expect(try await store.inbox(of: both, limit: 3) == rows.dropFirst().reversed())
            #expect(try await store.inbox(of: [both[1]], limit: 10) == [rows[3], rows[1]])
            #expect(try await store.inbox(of: [], limit: 10).isEmpty)
            #expect(try await store.inboxDepth() == InboxDepth(waiting: 4, parked: 0, oldest: 97))

            let unknown = InboxRow(key: 7, shard: 0, receivedAt: 0)
            #expect(try await store.removeFromInbox([rows[1], rows[3], unknown].map(writer.removal)).isEmpty)
            #expect(try await store.removeFromInbox([]).isEmpty)
            #expect(try await store.inbox(of: both, limit: 10) == [rows[2], rows[0]])
            #expect(try await store.inboxDepth() == InboxDepth(waiting: 2, parked: 0, oldest: 98))
        },
        SharedStoreContract("what fails too often is parked, and is not lost") { store in
            let writer = try StoreWriter(store)
            let rows = (0..<2).map { InboxRow(key: UInt8($0), shard: 0, receivedAt: Int64($0)) }
            for row in rows { try await store.put(row) }
            let shard = [ShardID(rawValue: 0)]
            for attempt in 1...3 {
                #expect(try await store.inbox(of: shard, limit: 10) == rows)
                try await store.recordFailedAttempt([rows[0].dedupKey], parkingAt: 3, at: Int64(attempt))
            }
            #expect(try await store.inbox(of: shard, limit: 10) == [rows[1]])
            #expect(try await store.inboxDepth() == InboxDepth(waiting: 1, parked: 1, oldest: 1))
            // It came again: it is still there, and still parked.
            try await store.put(rows[0])
            #expect(try await store.inbox(of: shard, limit: 10) == [rows[1]])
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
