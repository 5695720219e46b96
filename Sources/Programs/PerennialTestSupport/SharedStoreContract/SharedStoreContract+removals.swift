import EventLog
import Testing

extension SharedStoreContract {
    static let removals = [
        SharedStoreContract("a shard that has changed hands keeps its rows for its next owner") { store in
            let (a, b) = (try store.begin("a", incarnation: 1), try store.begin("b", incarnation: 2))
            let shard = ShardID(rawValue: 0)
            let row = InboxRow(key: 1, shard: 0, receivedAt: 1)
            try await store.put(row)
            let first = try #require(try store.take([try store.record(of: 0)], as: a).first)
            #expect(try store.give(shard, under: first.epoch, from: a.owner, to: b.owner))
            #expect(try await store.removeFromInbox([first.removal(of: row)]) == [shard])
            let claim = ShardClaim([shard], for: b.owner, from: b.owner.incarnation)
            let second = try #require(try store.claim(claim).first)
            #expect(try await store.inbox(of: [shard], after: nil, limit: 10) == [row])
            #expect(try await store.removeFromInbox([second.removal(of: row)]).isEmpty)
            #expect(try await store.inboxDepth().waiting == 0)
        }
    ]
}
