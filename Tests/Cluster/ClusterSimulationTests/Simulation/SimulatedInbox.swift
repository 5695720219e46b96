import EventLog

/// A table of the store: notifications that were acknowledged without an owner, by their dedup keys.
struct SimulatedInbox {
    struct Row: Hashable {
        var operation: Operation
        var shard: ShardID
    }

    private(set) var rows: [Operation: Row] = [:]

    /// The same again is there once.
    mutating func put(_ operation: Operation, for shard: ShardID) {
        self.rows[operation] = Row(operation: operation, shard: shard)
    }

    func rows(of shards: Set<ShardID>, limit: Int) -> [Row] {
        let waiting = self.rows.values.filter { shards.contains($0.shard) }
        return Array(waiting.sorted { $0.operation < $1.operation }.prefix(limit))
    }

    mutating func remove(_ operation: Operation) { self.rows[operation] = nil }
}
