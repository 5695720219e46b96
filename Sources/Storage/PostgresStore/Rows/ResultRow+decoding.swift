import EventLog

extension StreamRow {
    static let columns = "stream.key, stream.version, stream.seq, stream.state, stream.entitlement, stream.next_due"

    /// - Parameter first: where `columns` begin.
    init(_ row: ResultRow, from first: Int32 = 0) throws(StoreError) {
        self.init(
            key: try row.bytes(first), version: StreamVersion(rawValue: try row.number(first + 1)),
            sequence: LogSequence(rawValue: try row.number(first + 2)), state: try row.bytes(first + 3),
            entitlement: try row.bytes(first + 4), nextDue: try row.number(orNull: first + 5))
    }
}

extension StoredEvent {
    static let columns = """
        event.shard_id, event.seq, event.epoch, stream.key, event.version, event.kind, event.dedup_key, event.at, \
        event.body, event.entitlement
        """

    init(_ row: ResultRow, from first: Int32 = 0) throws(StoreError) {
        self.init(
            shard: try row.shard(first), sequence: LogSequence(rawValue: try row.number(first + 1)),
            epoch: Epoch(rawValue: try row.number(first + 2)), key: try row.bytes(first + 3),
            version: StreamVersion(rawValue: try row.number(first + 4)), kind: try row.text(first + 5),
            dedupKey: try row.bytes(first + 6), at: try row.number(first + 7), body: try row.bytes(first + 8),
            entitlement: try row.bytes(first + 9))
    }
}
