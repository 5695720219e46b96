package import EventLog
import Synchronization

extension InMemoryEventStore {
    struct InboxEntry {
        var row: InboxRow
        var attempts = 0
        var isParked = false
    }

    package func put(_ row: InboxRow) {
        self.state.withLock { $0.keep(row) }
    }

    package func inbox(of shards: [ShardID], after last: InboxRow?, limit: Int) -> [InboxRow] {
        func precedes(_ row: InboxRow, _ other: InboxRow) -> Bool {
            row.receivedAt == other.receivedAt
                ? row.dedupKey.lexicographicallyPrecedes(other.dedupKey) : row.receivedAt < other.receivedAt
        }
        return self.state.withLock { state in
            let waiting = state.inbox.filter { !$0.isParked && shards.contains($0.row.shard) }.map(\.row)
                .filter { row in last.map { precedes($0, row) } ?? true }
            return Array(waiting.sorted(by: precedes).prefix(limit))
        }
    }

    package func removeFromInbox(_ removals: [InboxRemoval]) -> Set<ShardID> {
        self.state.withLock { state in
            var removed: Set<[UInt8]> = []
            var refused: Set<ShardID> = []
            for removal in removals {
                if state.shards[Int(removal.shard.rawValue)].holds(removal) {
                    removed.insert(removal.dedupKey)
                } else {
                    refused.insert(removal.shard)
                }
            }
            state.inbox.removeAll { removed.contains($0.row.dedupKey) }
            return refused
        }
    }

    package func recordFailedAttempt(_ dedupKeys: [[UInt8]], parkingAt limit: Int, at moment: Int64) {
        self.state.withLock { state in
            for index in state.inbox.indices where dedupKeys.contains(state.inbox[index].row.dedupKey) {
                state.inbox[index].attempts += 1
                state.inbox[index].isParked = state.inbox[index].attempts >= limit
            }
        }
    }

    package func inboxDepth() -> InboxDepth {
        self.state.withLock { state in
            let waiting = state.inbox.filter { !$0.isParked }
            return InboxDepth(
                waiting: waiting.count, parked: state.inbox.count - waiting.count,
                oldest: waiting.map(\.row.receivedAt).min())
        }
    }
}

extension InMemoryEventStore.State {
    mutating func keep(_ row: InboxRow) {
        guard !self.inbox.contains(where: { $0.row.dedupKey == row.dedupKey }) else { return }
        self.inbox.append(InMemoryEventStore.InboxEntry(row: row))
    }
}
