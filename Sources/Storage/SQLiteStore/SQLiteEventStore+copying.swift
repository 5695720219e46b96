package import EventLog
import GRDB

extension SQLiteEventStore: StoreSource {
    package func tally() throws(StoreError) -> StoreTally {
        try self.read { db in
            StoreTally(
                answers: try StoreTally.questions.map { question in
                    try Row.fetchAll(db, sql: question).map { row in
                        try (0..<row.count).map { try row.decode(Int64.self, atIndex: $0) }
                    }
                })
        }
    }

    package func read(
        _ table: StoreTable, _ body: (TablePage) throws(StoreError) -> Void
    ) throws(StoreError) {
        try self.read { db in
            let rows = try Row.fetchCursor(db, sql: table.select)
            var page = TablePage(of: table)
            while let row = try rows.next() {
                try page.append(row)
                guard page.isFull else { continue }
                try body(page)
                page = TablePage(of: table)
            }
            if page.rows > 0 { try body(page) }
        }
    }

    package func lastNumber(of table: StoreTable) throws(StoreError) -> Int64 {
        try self.read { db in
            let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM \(table.name)") ?? 0
            let given = try Int64.fetchOne(
                db, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table.name])
            return max(last, given ?? 0)
        }
    }

    package func markMoved(to destination: String) throws(StoreError) {
        try self.write { db in try db.execute(sql: "UPDATE store_meta SET moved_to = ?", arguments: [destination]) }
    }
}

extension StoreTable {
    /// The columns of a page.
    fileprivate var select: String {
        let columns = self.columns.map(self.expression).joined(separator: ", ")
        guard self.name == "evidence" else { return "SELECT \(columns) FROM \(self.name)" }
        return "SELECT \(columns) FROM evidence JOIN event ON event.id = evidence.event_id"
    }

    private func expression(of column: String) -> String {
        let table = self.name == "evidence" && ["shard_id", "seq"].contains(column) ? "event" : self.name
        // Text as its bytes, all of them: what decodes text would stop at U+0000.
        let isText = self.texts.contains(column) || self.name == "lookup" && column == "value"
        return isText ? "CAST(\(table).\(column) AS BLOB)" : "\(table).\(column)"
    }
}

extension TablePage {
    fileprivate mutating func append(_ row: Row) throws {
        let (texts, blobs) = (self.numbers.count, self.numbers.count + self.texts.count)
        for place in self.numbers.indices {
            self.numbers[place].append(try row.decode(Int64?.self, atIndex: place))
        }
        for place in self.texts.indices {
            let bytes = try self.take(row, at: texts + place)
            self.texts[place].append(bytes.map { String(decoding: $0, as: UTF8.self) })
        }
        for place in self.blobs.indices {
            self.blobs[place].append(try self.take(row, at: blobs + place))
        }
        self.rows += 1
    }

    private mutating func take(_ row: Row, at column: Int) throws -> [UInt8]? {
        guard !row.hasNull(atIndex: column) else { return nil }
        let bytes = try row.bytes(column)
        self.bytes += bytes.count
        return bytes
    }
}
