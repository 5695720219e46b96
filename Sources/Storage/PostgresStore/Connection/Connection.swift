import CPostgres
import EventLog
import Foundation

/// A session of libpq, used by one thread at a time; closed when it goes out of scope. Calls block, none of them for
/// longer than its deadline.
@safe struct Connection: ~Copyable {
    private let handle: OpaquePointer
    private var prepared: Set<String> = []
    /// Counts the server's warnings: libpq's callback has only a pointer.
    private let warnings: UnsafeMutablePointer<Int>

    /// - Throws: `.unavailable` when no server takes the session.
    init(_ string: ConnectionString) throws(StoreError) {
        unsafe self.handle = try Self.open(string)
        unsafe self.warnings = .allocate(capacity: 1)
        unsafe self.warnings.initialize(to: 0)
        // libpq would write them to standard error.
        _ = unsafe PQsetNoticeReceiver(
            self.handle,
            { argument, result in
                let severity = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "V")))
                guard let severity = unsafe severity, unsafe strcmp(severity, "WARNING") == 0 else { return }
                unsafe argument?.assumingMemoryBound(to: Int.self).pointee += 1
            }, self.warnings)
    }

    private static func open(_ string: ConnectionString) throws(StoreError) -> OpaquePointer {
        guard let handle = unsafe Self.connect(string) else {
            throw StoreError(.unavailable, "there is no memory for a connection to \(string.address)")
        }
        guard unsafe PQstatus(handle) == CONNECTION_OK, unsafe PQsetnonblocking(handle, 1) == 0 else {
            let reason = unsafe String(cString: PQerrorMessage(handle))
            unsafe PQfinish(handle)
            throw StoreError(.unavailable, "cannot open \(string.address): \(Self.line(reason))")
        }
        return unsafe handle
    }

    deinit {
        unsafe PQfinish(self.handle)
        unsafe self.warnings.deallocate()
    }

    private static func connect(_ string: ConnectionString) -> OpaquePointer? {
        let copies = unsafe string.keywords.map { unsafe (strdup($0.keyword), strdup($0.value)) }
        defer {
            unsafe copies.forEach { keyword, value in
                unsafe free(keyword)
                unsafe free(value)
            }
        }
        let keywords: [UnsafePointer<CChar>?] = unsafe copies.map { unsafe UnsafePointer($0.0) } + [nil]
        let values: [UnsafePointer<CChar>?] = unsafe copies.map { unsafe UnsafePointer($0.1) } + [nil]
        return unsafe PQconnectdbParams(keywords, values, 0)
    }

    /// libpq's words on several hosts have a line for each.
    private static func line(_ message: String) -> String {
        message.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: "; ")
    }

    /// false when the other side has already closed the session; true says nothing for sure.
    var isAlive: Bool {
        var descriptor = pollfd(fd: unsafe PQsocket(self.handle), events: Int16(POLLIN), revents: 0)
        if unsafe poll(&descriptor, 1, 0) > 0 { _ = unsafe PQconsumeInput(self.handle) }
        return unsafe PQstatus(self.handle) == CONNECTION_OK
    }

    // MARK: Statements

    /// Runs one statement, as a transaction of its own.
    /// - Parameter refusesWarnings: a statement that never has one has gone through only in part when it has: a standby
    ///   that should have confirmed the commit was not waited for.
    mutating func run(
        _ statement: PreparedStatement, _ parameters: Parameters, within limit: Duration, refusesWarnings: Bool = false
    ) throws(StatementFailure) -> QueryResult {
        let deadline = ContinuousClock.now + limit
        try self.prepare(statement, until: deadline)
        unsafe self.warnings.pointee = 0
        let isSent = unsafe parameters.withLibpqArguments { count, values, lengths, formats in
            unsafe PQsendQueryPrepared(self.handle, statement.name, count, values, lengths, formats, 1)
        }
        let result = try self.result(isSent: isSent, until: deadline)
        guard unsafe self.warnings.pointee == 0 || !refusesWarnings else {
            throw StatementFailure(.unknown, "the database warned while it committed", endsSession: true)
        }
        return result
    }

    private mutating func prepare(
        _ statement: PreparedStatement, until deadline: ContinuousClock.Instant
    ) throws(StatementFailure) {
        guard !self.prepared.contains(statement.name) else { return }
        let isSent = unsafe PQsendPrepare(self.handle, statement.name, statement.sql, 0, nil)
        do {
            _ = try self.result(isSent: isSent, until: deadline)
        } catch let failure where failure.fate == .unknown {
            throw StatementFailure(
                .refused(.unavailable), failure.message, sqlState: failure.sqlState, endsSession: true)
        }
        self.prepared.insert(statement.name)
    }

    /// Runs statements without parameters, as one transaction unless they say otherwise. The result is the last one's,
    /// its values are text.
    @discardableResult
    mutating func run(_ sql: String, within limit: Duration) throws(StatementFailure) -> QueryResult {
        let deadline = ContinuousClock.now + limit
        let isSent = unsafe PQsendQuery(self.handle, sql)
        return try self.result(isSent: isSent, until: deadline)
    }

    /// Waits for the answer to what was sent.
    private func result(isSent: Int32, until deadline: ContinuousClock.Instant) throws(StatementFailure) -> QueryResult
    {
        guard isSent == 1 else { throw Self.lost }
        try self.flush(until: deadline)
        var last: QueryResult?
        while true {
            try self.waitForResult(until: deadline)
            guard let handle = unsafe PQgetResult(self.handle) else { break }
            let result = unsafe QueryResult(handle)
            if let failure = result.failure { throw try self.drain(failure, until: deadline) }
            last = consume result
        }
        guard unsafe PQstatus(self.handle) == CONNECTION_OK, let last else { throw Self.lost }
        return last
    }

    /// After an error the session is good for the next statement once libpq has heard all of this one.
    private func drain(
        _ failure: StatementFailure, until deadline: ContinuousClock.Instant
    ) throws(StatementFailure) -> StatementFailure {
        while !failure.endsSession {
            try self.waitForResult(until: deadline)
            guard let handle = unsafe PQgetResult(self.handle) else { break }
            _ = unsafe QueryResult(handle)
        }
        return failure
    }

    // MARK: Waiting

    private func flush(until deadline: ContinuousClock.Instant) throws(StatementFailure) {
        while true {
            switch unsafe PQflush(self.handle) {
            case 0: return
            case 1:
                // The server may have to be heard before it goes on listening.
                try self.wait(for: Int16(POLLIN | POLLOUT), until: deadline)
                guard unsafe PQconsumeInput(self.handle) == 1 else { throw Self.lost }
            default: throw Self.lost
            }
        }
    }

    private func waitForResult(until deadline: ContinuousClock.Instant) throws(StatementFailure) {
        while unsafe PQisBusy(self.handle) == 1 {
            try self.wait(for: Int16(POLLIN), until: deadline)
            // What came before the end is still worth reading: it may be the server's reason.
            guard unsafe PQconsumeInput(self.handle) == 1 || PQisBusy(self.handle) == 0 else { throw Self.lost }
        }
    }

    private func wait(for events: Int16, until deadline: ContinuousClock.Instant) throws(StatementFailure) {
        var descriptor = pollfd(fd: unsafe PQsocket(self.handle), events: events, revents: 0)
        while true {
            let left = deadline - .now
            guard left > .zero else {
                throw StatementFailure(.unknown, "the database did not answer in time", endsSession: true)
            }
            let milliseconds = Int32(clamping: Int64(left / .milliseconds(1)) + 1)
            let count = unsafe poll(&descriptor, 1, milliseconds)
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw Self.lost }
        }
    }

    private static var lost: StatementFailure {
        StatementFailure(.unknown, "the connection to the database was lost", endsSession: true)
    }
}
