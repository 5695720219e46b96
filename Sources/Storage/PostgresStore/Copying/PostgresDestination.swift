package import EventLog

/// An empty schema of a database, into which a store is copied that is kept elsewhere.
///
/// Tables and rows are one transaction: nobody sees a part of a store, a node that starts meanwhile waits for all of it,
/// some twenty minutes at most, and what is interrupted leaves nothing behind. The rows are counted before the commit.
package struct PostgresDestination: Sendable {
    package struct Arrival: Sendable {
        /// For people, without a password: where the store is now.
        package let place: String
        /// false when an earlier copy was found there, whole and unused.
        package let isNew: Bool
        package let tally: StoreTally
    }

    private let string: ConnectionString
    private let settings: SessionSettings
    private let schema: StoreSchema

    /// - Throws: `.incompatible` for what is no connection string.
    package init(connectionString: String) throws(StoreError) {
        self.string = try ConnectionString(connectionString)
        self.settings = SessionSettings(.migrating, PostgresConfiguration(connectionString: connectionString))
        self.schema = StoreSchema(address: self.string.address, migrations: SchemaMigration.all)
    }

    /// Copies the whole of `source`, durable when it returns. Blocks. Safe to repeat, whatever became of an earlier try.
    /// - Parameter progress: told how many rows have been sent, and of how many.
    /// - Throws: `.incompatible` when the schema holds anything else than the same store as it is in `source`;
    ///   `.outcomeUnknown` when the commit may have happened or not, which a repetition finds out. After any other error
    ///   nothing was stored.
    package func receive(
        _ source: some StoreSource, progress: (_ rows: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(StoreError) -> Arrival {
        let tally = try source.tally()
        var session = Session(self.string, self.settings)
        try session.connect()
        let present = try self.schema.present(&session)
        let place = try self.place(in: &session)
        if let present {
            try self.expect(source, tally, toBe: present, in: &session)
        } else {
            try self.copy(source, tally, in: &session, progress: progress)
        }
        return Arrival(place: place, isNew: present == nil, tally: tally)
    }

    // MARK: What is there already

    /// An earlier copy whose answer was lost, or which ended before its source was marked.
    private func expect(
        _ source: some StoreSource, _ tally: StoreTally, toBe present: StoreSchema.Meta, in session: inout Session
    ) throws(StoreError) {
        guard present.identity.storeID == source.identity.storeID else {
            throw self.refusal("holds another store already; a copy needs a schema without tables")
        }
        // An older program may have made it, without the tables that this one counts.
        _ = try self.schema.prepare(&session, shardCount: source.identity.shardCount)
        let found = try self.tally(in: &session)
        guard present.identity == source.identity, found == tally else {
            throw self.refusal(
                "holds this store already, and since it was copied there one of the two has been used: nothing was "
                    + "copied. Go on with the database, or copy again into a schema without tables")
        }
    }

    private func refusal(_ reason: String) -> StoreError {
        StoreError(.incompatible, "\(self.string.address) \(reason)")
    }

    // MARK: Copying

    private func copy(
        _ source: some StoreSource, _ tally: StoreTally, in session: inout Session, progress: (Int, Int) -> Void
    ) throws(StoreError) {
        let featureLevel = try source.featureLevel()
        try self.run("BEGIN", in: &session)
        for migration in self.schema.migrations { try self.run(migration.sql, in: &session) }
        try self.run(self.meta(of: source.identity, featureLevel: featureLevel), in: &session)
        var rows = 0
        for table in StoreTable.all {
            try source.read(table) { page throws(StoreError) in
                try self.using(&session) { session throws(StatementFailure) in
                    _ = try session.run(table.insert, page.parameters)
                }
                rows += page.rows
                progress(rows, tally.rows)
            }
            guard table.isNumbered else { continue }
            try self.run(table.goOnCounting(after: source.lastNumber(of: table)), in: &session)
        }
        guard try self.tally(in: &session) == tally else {
            throw StoreError(.corrupt, "the copy does not have the rows of the original: nothing was stored")
        }
        try self.commit(&session)
    }

    private func meta(of identity: StoreIdentity, featureLevel: FeatureLevel) -> String {
        """
        INSERT INTO store_meta (singleton, store_id, restore_gen, shard_count, schema, steps, feature_level)
        VALUES (1, \(Int64(bitPattern: identity.storeID)), \(identity.restoreGeneration), \(identity.shardCount),
            \(self.schema.lowest(at: featureLevel)), \(self.schema.migrations.last?.number ?? 0), \(featureLevel))
        """
    }

    private func commit(_ session: inout Session) throws(StoreError) {
        do throws(StatementFailure) {
            _ = try session.run(PreparedStatement("commit", "COMMIT"), refusesWarnings: true)
        } catch {
            let failure = StoreError(error, unknown: .outcomeUnknown)
            let end =
                failure.code == .outcomeUnknown
                ? "the copy may be there or not: repeat it, to find out" : "nothing was stored"
            throw StoreError(
                failure.code, "\(self.string.address), at the commit: \(failure.message); \(end)", cause: error)
        }
    }

    // MARK: Asking

    private func tally(in session: inout Session) throws(StoreError) -> StoreTally {
        var answers: [[[Int64]]] = []
        for (number, question) in StoreTally.questions.enumerated() {
            let statement = PreparedStatement("tally_\(number)", question)
            answers.append(
                try self.using(&session) { session throws(StatementFailure) in
                    try session.run(statement).rows { row throws(StoreError) in try row.numbers() }
                })
        }
        return StoreTally(answers: answers)
    }

    private func place(in session: inout Session) throws(StoreError) -> String {
        let statement = PreparedStatement("schema", "SELECT current_schema()::text")
        let name = try self.using(&session) { session throws(StatementFailure) in
            try session.run(statement).rows { row throws(StoreError) in try row.text(0) }.first
        }
        guard let name, name != "public" else { return self.string.address }
        return "the schema \(name) of \(self.string.address)"
    }

    private func run(_ sql: String, in session: inout Session) throws(StoreError) {
        try self.using(&session) { session throws(StatementFailure) in _ = try session.run(sql) }
    }

    /// Whatever goes wrong before the commit, the transaction is undone with its session.
    private func using<Result>(
        _ session: inout Session, _ body: (inout Session) throws(StatementFailure) -> Result
    ) throws(StoreError) -> Result {
        do throws(StatementFailure) {
            return try body(&session)
        } catch {
            let failure = StoreError(error, unknown: .unavailable)
            throw StoreError(
                failure.code, "\(self.string.address): \(failure.message); nothing was stored", cause: error)
        }
    }
}
