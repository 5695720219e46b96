import EventLog

/// A place for one session at a time: made when it is first needed, made anew after it was lost. Used by one thread at
/// a time.
struct Session: ~Copyable {
    private let string: ConnectionString
    private let settings: SessionSettings
    /// Called for each session that was lost, and again when the next one is made: that may be much later, and with
    /// another server than those have that others made meanwhile.
    private let onLoss: @Sendable () -> Void
    private var connection: Connection?
    /// The last session was lost, and there is no other yet.
    private var isLost = false
    private var refusal: (at: ContinuousClock.Instant, error: StoreError)?

    /// While a server refuses sessions, those who ask are not all kept waiting for the same answer.
    private static let refusalMemory = Duration.milliseconds(250)

    init(
        _ string: ConnectionString, _ settings: SessionSettings, onLoss: @escaping @Sendable () -> Void = {}
    ) {
        self.string = string
        self.settings = settings
        self.onLoss = onLoss
    }

    /// Makes sure of a session as far as that can be seen from here.
    mutating func connect() throws(StoreError) {
        if let isAlive = self.connection?.isAlive, !isAlive { self.lose() }
        guard self.connection == nil else { return }
        if let refusal, .now - refusal.at < Self.refusalMemory { throw refusal.error }
        do {
            self.connection = try self.opened()
        } catch {
            self.refusal = (.now, error)
            throw error
        }
        guard self.isLost else { return }
        self.isLost = false
        self.onLoss()
    }

    private func opened() throws(StoreError) -> Connection {
        var connection = try Connection(self.string)
        do throws(StatementFailure) {
            try connection.run(self.settings.statement, within: self.settings.answerLimit)
            let settings = try connection.run(ServerCheck.statement, within: self.settings.answerLimit)
            try ServerCheck(address: self.string.address).check(settings)
        } catch {
            throw StoreError(error, unknown: .unavailable)
        }
        return connection
    }

    /// Runs a statement as a transaction of its own, in a session that `connect()` has made.
    mutating func run(
        _ statement: PreparedStatement, _ parameters: Parameters = Parameters(), refusesWarnings: Bool = false
    ) throws(StatementFailure) -> QueryResult {
        try self.using { connection, limit throws(StatementFailure) in
            try connection.run(statement, parameters, within: limit, refusesWarnings: refusesWarnings)
        }
    }

    /// Runs SQL without parameters in a session that `connect()` has made.
    @discardableResult
    mutating func run(_ sql: String) throws(StatementFailure) -> QueryResult {
        try self.using { connection, limit throws(StatementFailure) in try connection.run(sql, within: limit) }
    }

    private mutating func using(
        _ body: (inout Connection, Duration) throws(StatementFailure) -> QueryResult
    ) throws(StatementFailure) -> QueryResult {
        guard var connection = self.connection.take() else {
            throw StatementFailure(.refused(.unavailable), "there is no connection to the database")
        }
        do {
            let result = try body(&connection, self.settings.answerLimit)
            self.connection = consume connection
            return result
        } catch {
            if error.endsSession { self.lose() } else { self.connection = consume connection }
            throw error
        }
    }

    private mutating func lose() {
        self.connection = nil
        self.isLost = true
        self.onLoss()
    }

    /// Ends the session, in order.
    mutating func close() { self.connection = nil }
}
