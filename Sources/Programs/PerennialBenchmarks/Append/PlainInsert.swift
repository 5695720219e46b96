import CPostgres
import EventLog

/// What nobody can do without: one prepared statement that inserts the events' rows and their evidence, and nothing
/// else, into tables with the same columns and constraints.
final class PlainInsert {
    private let connection: OpaquePointer
    private var streams: [[UInt8]: Int64] = [:]

    init(_ url: String) throws {
        guard let connection = PQconnectdb(url), PQstatus(connection) == CONNECTION_OK else {
            throw BenchmarkError("cannot connect to the server that was just started")
        }
        self.connection = connection
        for sql in [
            "CREATE TABLE plain_event (LIKE event INCLUDING ALL)",
            "CREATE TABLE plain_evidence (LIKE evidence INCLUDING ALL)", "SET plan_cache_mode = force_generic_plan",
        ] { try Self.check(PQexec(connection, sql), PGRES_COMMAND_OK) }
        try Self.check(PQprepare(connection, "insert", Self.sql, 0, nil), PGRES_COMMAND_OK)
    }

    deinit { PQfinish(self.connection) }

    private static let sql = """
        WITH kept AS (
            INSERT INTO plain_evidence (shard_id, seq, headers, body)
            SELECT * FROM unnest($11::integer[], $12::bigint[], $13::text[], $14::bytea[])
        )
        INSERT INTO plain_event (shard_id, seq, epoch, stream_id, version, kind, dedup_key, at, body, entitlement)
        SELECT * FROM unnest(
            $1::integer[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bytea[],
            $8::bigint[], $9::bytea[], $10::bytea[])
        """

    /// The rows as the server takes them, which is no part of what is measured.
    func columns(_ batches: [ShardBatch]) -> [[UInt8]] {
        var columns: [[UInt8]] = []
        let rows = batches.flatMap { batch in batch.events.enumerated().map { (batch, $0.offset, $0.element) } }
        columns.append(Self.array(23, rows.map { Self.bytes(Int32($0.0.shard.rawValue)) }))
        columns.append(Self.array(20, rows.map { Self.bytes($0.0.head.rawValue + Int64($0.1) + 1) }))
        columns.append(Self.array(20, rows.map { Self.bytes($0.0.epoch.rawValue) }))
        columns.append(Self.array(20, rows.map { Self.bytes(self.number(of: $0.2.key)) }))
        columns.append(Self.array(20, rows.map { Self.bytes($0.2.version.rawValue) }))
        columns.append(Self.array(25, rows.map { Array($0.2.kind.utf8) }))
        columns.append(Self.array(17, rows.map(\.2.dedupKey)))
        columns.append(Self.array(20, rows.map { Self.bytes($0.2.at) }))
        columns.append(Self.array(17, rows.map(\.2.body)))
        columns.append(Self.array(17, rows.map(\.2.entitlement)))
        let kept = rows.compactMap { row in row.2.evidence.map { (row.0, row.1, $0) } }
        columns.append(Self.array(23, kept.map { Self.bytes(Int32($0.0.shard.rawValue)) }))
        columns.append(Self.array(20, kept.map { Self.bytes($0.0.head.rawValue + Int64($0.1) + 1) }))
        columns.append(Self.array(25, kept.map { Array($0.2.headers.map { _ in "1" }.joined(separator: ",").utf8) }))
        columns.append(Self.array(17, kept.map(\.2.body)))
        return columns
    }

    private func number(of key: [UInt8]) -> Int64 {
        if let number = self.streams[key] { return number }
        let number = Int64(self.streams.count) + 1
        self.streams[key] = number
        return number
    }

    func insert(_ columns: [[UInt8]]) throws {
        let all = columns.flatMap(\.self)
        var next = 0
        let starts = columns.map { column in
            defer { next += column.count }
            return next
        }
        let result = all.withUnsafeBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values: [UnsafePointer<CChar>?] = starts.map { start in base.map { $0 + start } }
            let formats = [Int32](repeating: 1, count: columns.count)
            return PQexecPrepared(
                self.connection, "insert", Int32(columns.count), values, columns.map { Int32($0.count) }, formats, 1)
        }
        try Self.check(result, PGRES_COMMAND_OK)
    }

    /// PostgreSQL's binary format of an array.
    private static func array(_ type: Int32, _ elements: [[UInt8]]) -> [UInt8] {
        var bytes = [1, 0, type, Int32(elements.count), 1].flatMap { Self.bytes($0) }
        bytes.reserveCapacity(elements.reduce(bytes.count) { $0 + $1.count + 4 })
        for element in elements { bytes += Self.bytes(Int32(element.count)) + element }
        return bytes
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func check(_ result: OpaquePointer?, _ expected: ExecStatusType) throws {
        defer { PQclear(result) }
        guard PQresultStatus(result) == expected else {
            throw BenchmarkError("a plain insert failed: \(String(cString: PQresultErrorMessage(result)))")
        }
    }
}
