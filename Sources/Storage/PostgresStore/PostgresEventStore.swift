package import EventLog
import Evidence

/// The event store in a PostgreSQL database, for several nodes.
///
/// Commits are durable when they return. Each is one statement, so that a client that is stopped, or cut off, holds no
/// lock: the next owner takes its shards without waiting for it. What blocks, does so in sessions of its own; reads
/// have threads and sessions of theirs, and no caller of theirs blocks.
///
/// Sessions that are lost are made anew when they are next needed. When one that appends was lost, and when it is made
/// anew, each shard has to be claimed before the next append of it: what commits the server that answers now has is not
/// known before that.
package final class PostgresEventStore: SharedEventStore {
    package let identity: StoreIdentity
    /// Whether this has made the store.
    package let isNew: Bool
    package let appendConcurrency: Int
    let configuration: PostgresConfiguration
    let codec = EvidenceCodec()
    let headers = HeaderNumbers()
    let quarantineCount = QuarantineCount()
    let lost = LostSessions()
    let writers: SessionPool
    /// For signs of life alone: they wait for nobody else of this node.
    let beats: SessionPool
    /// For readings of other nodes, and what follows from them: they do not wait for appends.
    let watchers: SessionPool
    private let readers: SessionThreads

    /// Opens the store, or makes it when the schema is empty. Blocks.
    /// - Throws: one readable line without a password: `.unavailable` when no server takes the session or writes,
    ///   `.incompatible` when the database or the store is not one for this binary or configuration.
    package convenience init(configuration: PostgresConfiguration) throws(StoreError) {
        try self.init(configuration: configuration, migrations: SchemaMigration.all)
    }

    /// With other schema steps than this binary's own: tests open the stores of older and newer binaries with it.
    package init(configuration: PostgresConfiguration, migrations: [SchemaMigration]) throws(StoreError) {
        let string = try ConnectionString(configuration.connectionString)
        var session = Session(string, SessionSettings(.migrating, configuration))
        (self.identity, self.isNew) = try StoreSchema(address: string.address, migrations: migrations)
            .prepare(&session, shardCount: configuration.shardCount)
        session.close()
        self.configuration = configuration
        self.appendConcurrency = configuration.appendConcurrency
        let lost = self.lost
        let writing = SessionSettings(.writing, configuration)
        self.writers = SessionPool(count: configuration.appendConcurrency) {
            Session(string, writing, onLoss: { lost.record() })
        }
        // A session that is made later is then one that takes the place of a lost one.
        try self.writers.connect()
        self.beats = SessionPool(count: 1) { Session(string, writing) }
        self.watchers = SessionPool(count: 2) { Session(string, writing) }
        let reading = SessionSettings(.reading, configuration)
        self.readers = SessionThreads(count: configuration.maximumReaders) { Session(string, reading) }
    }

    deinit { self.close() }

    package func close() {
        self.readers.close()
        self.writers.close()
        self.beats.close()
        self.watchers.close()
    }

    package func checkFiles() -> String? { nil }

    package func ping() async throws(StoreError) {
        try await self.read { session throws(StatementFailure) in
            _ = try session.run(PreparedStatement("ping", "SELECT restore_gen FROM store_meta"))
        }
    }

    /// Counts the streams, from an index: numbers of streams have holes here.
    package func statistics() async throws(StoreError) -> StoreStatistics {
        try await self.first(
            PreparedStatement(
                "statistics",
                "SELECT (SELECT count(*) FROM stream), (SELECT coalesce(sum(head_seq), 0)::bigint FROM shard)"),
            Parameters()
        ) { row throws(StoreError) in
            StoreStatistics(streams: Int(try row.number(0)), events: Int(try row.number(1)))
        } ?? StoreStatistics(streams: 0, events: 0)
    }
}

// MARK: Access, for the other files of this type

extension PostgresEventStore {
    /// Reads, once more when the session turned out to be lost. Cancelled callers give up while they wait.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (inout Session) throws(StatementFailure) -> Result
    ) async throws(StoreError) -> Result {
        try await self.readers.use(isCancellable: true) { session throws(StoreError) in
            do throws(StatementFailure) {
                return try body(&session)
            } catch {
                guard error.endsSession else { throw StoreError(error, unknown: .unavailable) }
            }
            try session.connect()
            do throws(StatementFailure) {
                return try body(&session)
            } catch {
                throw StoreError(error, unknown: .unavailable)
            }
        }
    }

    /// The rows that a statement gives back.
    func rows<Value: Sendable>(
        _ statement: PreparedStatement, _ parameters: Parameters = Parameters(),
        _ decode: @escaping @Sendable (ResultRow) throws(StoreError) -> Value
    ) async throws(StoreError) -> [Value] {
        try await self.read { session throws(StatementFailure) in
            try session.run(statement, parameters).rows(decode)
        }
    }

    func first<Value: Sendable>(
        _ statement: PreparedStatement, _ parameters: Parameters = Parameters(),
        _ decode: @escaping @Sendable (ResultRow) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value? {
        try await self.rows(statement, parameters, decode).first
    }

    /// Writes beside the log, what may be repeated without harm. Not undone when the caller is cancelled.
    @discardableResult
    func write<Value: Sendable>(
        _ statement: PreparedStatement, _ parameters: Parameters,
        _ decode: @escaping @Sendable (ResultRow) throws(StoreError) -> Value = { _ in () }
    ) async throws(StoreError) -> [Value] {
        try await self.readers.use(isCancellable: false) { session throws(StoreError) in
            do throws(StatementFailure) {
                return try session.run(statement, parameters, refusesWarnings: true).rows(decode)
            } catch {
                throw StoreError(error, unknown: .unavailable)
            }
        }
    }
}
