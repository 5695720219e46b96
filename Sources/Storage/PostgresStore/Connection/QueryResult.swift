import CPostgres
import EventLog

/// What a statement gave back; freed when it goes out of scope.
@safe struct QueryResult: ~Copyable {
    private let handle: OpaquePointer

    /// Takes over `handle`.
    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe PQclear(self.handle) }

    var count: Int { unsafe Int(PQntuples(self.handle)) }

    func rows<Value>(_ decode: (ResultRow) throws(StoreError) -> Value) throws(StatementFailure) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(self.count)
        do throws(StoreError) {
            for row in 0..<self.count { values.append(try decode(unsafe ResultRow(self.handle, row: Int32(row)))) }
        } catch {
            throw StatementFailure(error)
        }
        return values
    }

    // MARK: Errors

    /// nil when the statement went through.
    var failure: StatementFailure? {
        let status = unsafe PQresultStatus(self.handle)
        guard status != PGRES_TUPLES_OK, status != PGRES_COMMAND_OK else { return nil }
        let message = self.field("M") ?? "the server gave no reason"
        guard let code = self.field("C"), let severity = self.field("V") else {
            // Not the server's words: libpq lost the connection.
            return StatementFailure(.unknown, "the connection to the database was lost", endsSession: true)
        }
        let state = SQLState(code: code, severity: severity)
        return StatementFailure(state.fate, message, sqlState: code, endsSession: state.endsSession)
    }

    private func field(_ letter: Character) -> String? {
        let code = Int32(letter.asciiValue ?? 0)
        return unsafe PQresultErrorField(self.handle, code).map { unsafe String(cString: $0) }
    }
}

/// A row, its columns by place from 0 on; to be read while its result is there. They are read with errors: what another
/// program has put into the tables must not bring the process down.
@safe struct ResultRow {
    private let handle: OpaquePointer
    private let row: Int32

    fileprivate init(_ handle: OpaquePointer, row: Int32) {
        unsafe self.handle = handle
        self.row = row
    }

    func isNull(_ column: Int32) -> Bool { unsafe PQgetisnull(self.handle, self.row, column) == 1 }

    /// A BIGINT or INTEGER.
    func number(_ column: Int32) throws(StoreError) -> Int64 {
        let value = unsafe try self.value(column)
        var number: UInt64 = 0
        for place in 0..<value.count { number = unsafe number << 8 | UInt64(value[place]) }
        switch value.count {
        case 8: return Int64(bitPattern: number)
        case 4: return Int64(Int32(truncatingIfNeeded: number))
        default: throw Self.damaged
        }
    }

    func number(orNull column: Int32) throws(StoreError) -> Int64? {
        self.isNull(column) ? nil : try self.number(column)
    }

    /// A row of numbers only.
    func numbers() throws(StoreError) -> [Int64] {
        var numbers: [Int64] = []
        for column in 0..<(unsafe PQnfields(self.handle)) { numbers.append(try self.number(column)) }
        return numbers
    }

    func shard(_ column: Int32) throws(StoreError) -> ShardID {
        guard let shard = UInt16(exactly: try self.number(column)) else {
            throw StoreError(.corrupt, "a row names a shard that cannot be")
        }
        return ShardID(rawValue: shard)
    }

    func featureLevel(_ column: Int32) throws(StoreError) -> FeatureLevel {
        FeatureLevel(rawValue: Int(try self.number(column)))
    }

    func bytes(_ column: Int32) throws(StoreError) -> [UInt8] { unsafe Array(try self.value(column)) }

    func text(_ column: Int32) throws(StoreError) -> String {
        unsafe String(decoding: try self.value(column), as: UTF8.self)
    }

    func text(orNull column: Int32) throws(StoreError) -> String? {
        self.isNull(column) ? nil : try self.text(column)
    }

    func flag(_ column: Int32) throws(StoreError) -> Bool { unsafe try self.value(column).elementsEqual([1]) }

    private func value(_ column: Int32) throws(StoreError) -> UnsafeRawBufferPointer {
        guard !self.isNull(column) else { throw Self.damaged }
        let start = unsafe PQgetvalue(self.handle, self.row, column)
        let count = unsafe Int(PQgetlength(self.handle, self.row, column))
        return unsafe UnsafeRawBufferPointer(start: start, count: count)
    }

    private static var damaged: StoreError { StoreError(.corrupt, "a row is not what was written") }
}
