import EventLog
import Testing

extension StoreContract {
    private static let shard = ShardID(rawValue: 0)

    static let removals = [
        StoreContract("a row is removed only by the run that owns its shard, under its epoch") { store in
            let row = InboxRow(key: 1, shard: 0, receivedAt: 1)
            try await store.put(row)
            let unowned = InboxRemoval(
                dedupKey: row.dedupKey, shard: row.shard, epoch: Epoch(rawValue: 0),
                incarnation: Incarnation(rawValue: 0), head: .zero)
            #expect(try await store.removeFromInbox([unowned]) == [Self.shard])

            let earlier = try StoreWriter(store, incarnation: 7)
            let writer = try StoreWriter(store, incarnation: 8)
            let removal = writer.removal(of: row)
            var refused = [earlier.removal(of: row)]
            for epoch in [removal.epoch.rawValue - 1, removal.epoch.rawValue + 1] {
                var other = removal
                other.epoch = Epoch(rawValue: epoch)
                refused.append(other)
            }
            var other = removal
            other.incarnation = Incarnation(rawValue: 7)
            refused.append(other)
            for removal in refused { #expect(try await store.removeFromInbox([removal]) == [Self.shard]) }
            #expect(try await store.inbox(of: [Self.shard], after: nil, limit: 10) == [row])

            #expect(try await store.removeFromInbox([removal]).isEmpty)
            #expect(try await store.inbox(of: [Self.shard], after: nil, limit: 10).isEmpty)
            // Of what is not there, too, it is said whether its owner knows the shard.
            #expect(try await store.removeFromInbox([removal, removal]).isEmpty)
            #expect(try await store.removeFromInbox(refused) == [Self.shard])
        },
        StoreContract("a row stays while the log lacks an event that its owner knows of") { store in
            var writer = try StoreWriter(store)
            try writer.append([writer.event([1]), writer.event([2])])
            let rows = (0..<3).map { InboxRow(key: UInt8($0), shard: 0, receivedAt: Int64($0)) }
            for row in rows { try await store.put(row) }
            for (row, head) in zip(rows, [Int64(3), 2, 1]) {
                var removal = writer.removal(of: row)
                removal.head = LogSequence(rawValue: head)
                #expect(try await store.removeFromInbox([removal]) == (head > 2 ? [Self.shard] : []))
            }
            #expect(try await store.inbox(of: [Self.shard], after: nil, limit: 10) == [rows[0]])

            // The log goes on, and has it.
            try writer.append([writer.event([3])])
            #expect(try await store.removeFromInbox([writer.removal(of: rows[0])]).isEmpty)
            #expect(try await store.inboxDepth().waiting == 0)
        },
        StoreContract("of several rows each goes by its own fence") { store in
            var writer = try StoreWriter(store)
            try writer.append([writer.event([1])], to: 2)
            let rows = (0..<6).map { InboxRow(key: UInt8($0), shard: UInt16($0 / 2), receivedAt: Int64($0)) }
            for row in rows { try await store.put(row) }
            var removals = rows.map(writer.removal)
            // One of shard 0, none of shard 1, and both of shard 2 are refused.
            removals[1].head = LogSequence(rawValue: 1)
            removals[4].epoch = Epoch(rawValue: 0)
            removals[5].incarnation = Incarnation(rawValue: 0)
            let refused = try await store.removeFromInbox(removals)
            #expect(refused == [ShardID(rawValue: 0), ShardID(rawValue: 2)])
            let shards = Array(store.identity.shards.prefix(3))
            #expect(try await store.inbox(of: shards, after: nil, limit: 10) == [rows[1], rows[4], rows[5]])
        },
    ]
}

extension ShardOwnership {
    func removal(of row: InboxRow) -> InboxRemoval {
        InboxRemoval(
            dedupKey: row.dedupKey, shard: row.shard, epoch: self.epoch, incarnation: self.incarnation, head: self.head)
    }
}

extension StoreWriter {
    /// As the owner that this writer is.
    func removal(of row: InboxRow) -> InboxRemoval { self.ownership[Int(row.shard.rawValue)].removal(of: row) }
}
