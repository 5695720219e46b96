import EventLog
import GRDB
import Subscriptions

/// The statements of one append, within its transaction: what PostgreSQL does in one statement, in the same order. They
/// are prepared once for a connection.
struct Appending {
    private(set) var outcomes: [AppendOutcome] = []
    private(set) var learned: [HeaderNumbers.Numbered] = []
    private let db: Database
    private let headers: HeaderNumbers
    private let moveHead: HotStatement
    private let findStream: HotStatement
    private let insertStream: HotStatement
    private let updateStream: HotStatement
    private let insertEvent: HotStatement
    private let insertEvidence: HotStatement
    private let insertLookup: HotStatement
    private let insertIntoInbox: HotStatement

    init(_ db: Database, headers: HeaderNumbers) throws {
        self.db = db
        self.headers = headers
        self.moveHead = try HotStatement(
            db,
            """
            UPDATE shard SET head_seq = ?
            WHERE shard_id = ? AND epoch = ? AND owner_incarnation = ? AND head_seq = ?
            """)
        self.findStream = try HotStatement(db, "SELECT id FROM stream WHERE shard_id = ? AND key = ?")
        self.insertStream = try HotStatement(
            db,
            """
            INSERT INTO stream (version, seq, state, entitlement, next_due, shard_id, key)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        self.updateStream = try HotStatement(
            db, "UPDATE stream SET version = ?, seq = ?, state = ?, entitlement = ?, next_due = ? WHERE id = ?")
        self.insertEvent = try HotStatement(
            db,
            """
            INSERT INTO event (shard_id, seq, epoch, stream_id, version, kind, dedup_key, at, body, entitlement)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        self.insertEvidence = try HotStatement(
            db, "INSERT INTO evidence (event_id, headers, body) VALUES (?, ?, ?)")
        self.insertLookup = try HotStatement(
            db, "INSERT OR IGNORE INTO identifier (kind, hash, stream_id) VALUES (?, ?, ?)")
        self.insertIntoInbox = try HotStatement(db, SQLiteEventStore.putIntoInbox)
    }

    mutating func append(_ batch: ShardBatch, places: [[UInt8]: Int]) throws {
        let head = LogSequence(rawValue: batch.head.rawValue + Int64(batch.events.count))
        try self.moveHead.run { values in
            values.add(head.rawValue)
            values.add(batch.shard)
            values.add(batch.epoch.rawValue)
            values.add(batch.incarnation.rawValue)
            values.add(batch.head.rawValue)
        }
        guard self.db.changesCount == 1 else { return self.outcomes.append(.fenced) }

        let streams = try batch.streams.map { try self.store($0, in: batch.shard) }
        for (index, event) in batch.events.enumerated() {
            try self.insertEvent.run { values in
                values.add(batch.shard)
                values.add(batch.head.rawValue + Int64(index) + 1)
                values.add(batch.epoch.rawValue)
                values.add(places[event.key].map { streams[$0] })
                values.add(event.version.rawValue)
                values.add(event.kind)
                values.add(event.dedupKey)
                values.add(event.at)
                values.add(event.body)
                values.add(event.entitlement)
            }
            if let evidence = event.evidence { try self.store(evidence, of: self.db.lastInsertedRowID) }
        }
        for lookup in batch.lookups {
            try self.insertLookup.run { values in
                values.add(Int64(lookup.kind.rawValue))
                values.add(lookup.hash.bytes)
                values.add(places[lookup.key].map { streams[$0] })
            }
        }
        for row in batch.outbox {
            try self.insertIntoInbox.run { values in
                values.add(row.dedupKey)
                values.add(row.shard)
                values.add(row.receivedAt)
                values.add(row.raw)
            }
        }
        self.outcomes.append(.appended(head: head))
    }

    /// The number of the stream, whose row is new or replaced.
    private func store(_ row: StreamRow, in shard: ShardID) throws -> Int64 {
        let found = try self.findStream.first(
            { values in
                values.add(shard)
                values.add(row.key)
            }, { try $0.number(0) })
        try (found == nil ? self.insertStream : self.updateStream).run { values in
            values.add(row.version.rawValue)
            values.add(row.sequence.rawValue)
            values.add(row.state)
            values.add(row.entitlement)
            values.add(row.nextDue)
            if let found {
                values.add(found)
            } else {
                values.add(shard)
                values.add(row.key)
            }
        }
        return found ?? self.db.lastInsertedRowID
    }

    private mutating func store(_ evidence: EncodedEvidence, of event: Int64) throws {
        var numbers: [Int64] = []
        for segment in evidence.headers {
            numbers.append(try self.headers.number(of: segment, in: self.db, learned: &self.learned))
        }
        let headers = numbers.map(String.init).joined(separator: ",")
        try self.insertEvidence.run { values in
            values.add(event)
            values.add(headers)
            values.add(evidence.body)
        }
    }
}
