import EventSourcing
import GRDB

/// The statements of one append, within its transaction: what PostgreSQL does in one statement, in the same order. They
/// are prepared once for a connection.
struct Appending {
    private(set) var outcomes: [AppendOutcome] = []
    private(set) var learned: [HeaderNumbers.Numbered] = []
    private let db: Database
    private let headers: HeaderNumbers
    private let moveHead: Statement
    private let findStream: Statement
    private let insertStream: Statement
    private let updateStream: Statement
    private let insertEvent: Statement
    private let insertEvidence: Statement

    init(_ db: Database, headers: HeaderNumbers) throws {
        self.db = db
        self.headers = headers
        self.moveHead = try db.cachedStatement(
            sql: """
                UPDATE shard SET head_seq = ?
                WHERE shard_id = ? AND epoch = ? AND owner_incarnation = ? AND head_seq = ?
                """)
        self.findStream = try db.cachedStatement(sql: "SELECT id FROM stream WHERE shard_id = ? AND key = ?")
        self.insertStream = try db.cachedStatement(
            sql: """
                INSERT INTO stream (version, seq, state, entitlement, next_due, shard_id, key)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
        self.updateStream = try db.cachedStatement(
            sql: """
                UPDATE stream SET version = ?, seq = ?, state = ?, entitlement = ?, next_due = ? WHERE id = ?
                """)
        self.insertEvent = try db.cachedStatement(
            sql: """
                INSERT INTO event (shard_id, seq, epoch, stream_id, version, kind, dedup_key, at, body, entitlement)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        self.insertEvidence = try db.cachedStatement(
            sql: "INSERT INTO evidence (event_id, headers, body) VALUES (?, ?, ?)")
    }

    mutating func append(_ batch: ShardBatch, places: [[UInt8]: Int]) throws {
        let head = Sequence(rawValue: batch.head.rawValue + Int64(batch.events.count))
        try self.moveHead.execute(arguments: [
            head.rawValue, batch.shard.rawValue, batch.epoch.rawValue, batch.incarnation.rawValue, batch.head.rawValue,
        ])
        guard self.db.changesCount == 1 else { return self.outcomes.append(.fenced) }

        let streams = try batch.streams.map { try self.store($0, in: batch.shard) }
        for (index, event) in batch.events.enumerated() {
            try self.insertEvent.execute(arguments: [
                batch.shard.rawValue, batch.head.rawValue + Int64(index) + 1, batch.epoch.rawValue,
                places[event.key].map { streams[$0] }, event.version.rawValue, event.kind, event.dedupKey.data,
                event.at, event.body.data, event.entitlement.data,
            ])
            if let evidence = event.evidence { try self.store(evidence, of: self.db.lastInsertedRowID) }
        }
        for lookup in batch.lookups {
            let insert = try self.db.cachedStatement(
                sql: "INSERT OR IGNORE INTO lookup (kind, value, stream_id) VALUES (?, ?, ?)")
            try insert.execute(arguments: [
                Int64(lookup.kind.rawValue), lookup.value, places[lookup.key].map { streams[$0] },
            ])
        }
        for dedupKey in batch.appliedInbox {
            let delete = try self.db.cachedStatement(sql: "DELETE FROM inbox WHERE dedup_key = ?")
            try delete.execute(arguments: [dedupKey.data])
        }
        self.outcomes.append(.appended(head: head))
    }

    /// The number of the stream, whose row is new or replaced.
    private func store(_ row: StreamRow, in shard: ShardID) throws -> Int64 {
        if let id = try Int64.fetchOne(self.findStream, arguments: [shard.rawValue, row.key.data]) {
            try self.updateStream.execute(arguments: [
                row.version.rawValue, row.sequence.rawValue, row.state.data, row.entitlement.data, row.nextDue, id,
            ])
            return id
        }
        try self.insertStream.execute(arguments: [
            row.version.rawValue, row.sequence.rawValue, row.state.data, row.entitlement.data, row.nextDue,
            shard.rawValue, row.key.data,
        ])
        return self.db.lastInsertedRowID
    }

    private mutating func store(_ evidence: EncodedEvidence, of event: Int64) throws {
        var numbers: [Int64] = []
        for segment in evidence.headers {
            numbers.append(try self.headers.number(of: segment, in: self.db, learned: &self.learned))
        }
        let headers = numbers.map(String.init).joined(separator: ",")
        try self.insertEvidence.execute(arguments: [event, headers, evidence.body.data])
    }
}
