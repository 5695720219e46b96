package import EventLog

/// Which database a store is in, its bounds, and how long it waits.
package struct PostgresConfiguration: Sendable {
    /// `store.url`: `postgresql://…` or `postgres://…`, with several hosts if need be, or libpq's `keyword=value` form.
    /// All of libpq's keywords are passed on; what it does not say about time-outs, keep-alives and
    /// `target_session_attrs` has the defaults of `ConnectionString`. It may hold a password, which no error repeats.
    package var connectionString: String
    /// How many shards a new store gets: a power of two, 16…4096. A store that exists has to have as many.
    package var shardCount = 256
    /// How much the quarantine holds before it says `.full`. It may go beyond that by what comes at the same moment, and by
    /// what other nodes put there in five seconds.
    package var quarantineLimits = QuarantineLimits()
    /// How many appends may be under way at a time, each in a session of its own.
    package var appendConcurrency = 4
    /// How many reads may run at the same time, each in a session and on a thread of its own.
    package var maximumReaders = 4
    /// After this long the server gives up a statement, and nothing of it is stored.
    package var statementTimeout = Duration.seconds(10)
    /// After this long the server gives up waiting for a row that somebody else is writing.
    package var lockTimeout = Duration.seconds(5)
    /// How much longer than `statementTimeout` an answer is waited for. Then the session is given up: the server, or
    /// the way there, has stopped.
    package var answerGrace = Duration.seconds(5)
    /// For tests of what becomes of the log without `.fence`.
    package var guards = Guards.all

    package init(connectionString: String) { self.connectionString = connectionString }
}
