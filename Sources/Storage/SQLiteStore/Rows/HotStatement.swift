import EventLog
import GRDB
import GRDBSQLite

/// A statement that each notification, or each replayed event, runs: prepared once for a connection, its values go
/// straight to SQLite and its columns come straight from there. GRDB's arguments and rows would be made for each and
/// thrown away.
@safe struct HotStatement {
    private let statement: Statement

    init(_ db: Database, _ sql: String) throws { self.statement = try db.cachedStatement(sql: sql) }

    /// Runs a statement without rows.
    func run(_ bind: (inout Bindings) -> Void) throws { _ = try self.rows(bind) { _ in } }

    func first<Value>(_ bind: (inout Bindings) -> Void, _ read: (Columns) throws -> Value) throws -> Value? {
        try self.rows(bind, limit: 1, read).first
    }

    /// - Parameter limit: after so many rows it stops.
    func rows<Value>(
        _ bind: (inout Bindings) -> Void, limit: Int = .max, _ read: (Columns) throws -> Value
    ) throws -> [Value] {
        let pointer = unsafe self.statement.sqliteStatement
        precondition(unsafe sqlite3_stmt_busy(pointer) == 0, "a statement runs once at a time")
        // Also when `read` throws: one left open would hold on to its snapshot of the log, and to what was bound.
        defer {
            unsafe sqlite3_reset(pointer)
            unsafe sqlite3_clear_bindings(pointer)
        }
        var bindings = unsafe Bindings(pointer)
        bind(&bindings)
        precondition(unsafe bindings.place == sqlite3_bind_parameter_count(pointer), "each place gets a value")
        try unsafe Self.check(bindings.result, pointer, expecting: SQLITE_OK)
        var values: [Value] = []
        while values.count < limit {
            let result = unsafe sqlite3_step(pointer)
            guard result == SQLITE_ROW else {
                try unsafe Self.check(result, pointer, expecting: SQLITE_DONE)
                break
            }
            values.append(try read(unsafe Columns(pointer)))
        }
        return values
    }

    private static func check(_ result: CInt, _ pointer: OpaquePointer, expecting good: CInt) throws {
        guard result != good else { return }
        let message = unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer)))
        throw DatabaseError(resultCode: ResultCode(rawValue: result), message: message)
    }
}

/// The values of one run, in the order of their places.
@safe struct Bindings {
    private let pointer: OpaquePointer
    fileprivate private(set) var place: CInt = 0
    /// The first that is not `SQLITE_OK`.
    fileprivate private(set) var result = SQLITE_OK

    /// SQLite makes a copy: nothing has to outlive the call.
    private static let copying = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    fileprivate init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    mutating func add(_ number: Int64) { unsafe self.add { unsafe sqlite3_bind_int64($0, $1, number) } }

    mutating func add(_ number: Int64?) {
        if let number { self.add(number) } else { unsafe self.add { unsafe sqlite3_bind_null($0, $1) } }
    }

    mutating func add(_ shard: ShardID) { self.add(Int64(shard.rawValue)) }

    mutating func add(_ text: String) {
        unsafe self.add { unsafe sqlite3_bind_text($0, $1, text, CInt(text.utf8.count), Self.copying) }
    }

    mutating func add(_ bytes: [UInt8]) {
        unsafe self.add { pointer, place in
            // No bytes at no address would be NULL.
            bytes.isEmpty
                ? unsafe sqlite3_bind_zeroblob(pointer, place, 0)
                : unsafe sqlite3_bind_blob64(pointer, place, bytes, UInt64(bytes.count), Self.copying)
        }
    }

    private mutating func add(_ bind: (OpaquePointer, CInt) -> CInt) {
        self.place += 1
        let result = unsafe bind(self.pointer, self.place)
        if self.result == SQLITE_OK { self.result = result }
    }
}

/// The columns of the row at which a statement stands, by place from 0 on. They are read with errors: a damaged file
/// must not bring the process down.
@safe struct Columns {
    private let pointer: OpaquePointer

    fileprivate init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    func number(_ place: CInt) throws -> Int64 {
        try self.expect(SQLITE_INTEGER, at: place)
        return unsafe sqlite3_column_int64(self.pointer, place)
    }

    func shard(_ place: CInt) throws -> ShardID {
        guard let shard = UInt16(exactly: try self.number(place)) else { throw StoreError.impossibleShard }
        return ShardID(rawValue: shard)
    }

    func number(orNull place: CInt) throws -> Int64? {
        unsafe sqlite3_column_type(self.pointer, place) == SQLITE_NULL ? nil : try self.number(place)
    }

    func text(_ place: CInt) throws -> String {
        try self.expect(SQLITE_TEXT, at: place)
        let text = unsafe UnsafeBufferPointer(
            start: sqlite3_column_text(self.pointer, place), count: Int(sqlite3_column_bytes(self.pointer, place)))
        return unsafe String(decoding: text, as: UTF8.self)
    }

    func bytes(_ place: CInt) throws -> [UInt8] {
        try self.expect(SQLITE_BLOB, at: place)
        let start = unsafe sqlite3_column_blob(self.pointer, place)
        let count = unsafe Int(sqlite3_column_bytes(self.pointer, place))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func expect(_ type: CInt, at place: CInt) throws {
        guard unsafe sqlite3_column_type(self.pointer, place) == type else { throw Self.damaged }
    }

    private static var damaged: StoreError { StoreError(.corrupt, "a row is not what was written") }
}
