import EventLog
import PostgresHarness
import PostgresStore
import Testing

/// A database of a test's own, and a way there that breaks on request.
struct CuttableDatabase {
    let database: PostgresDatabase
    let proxy: CuttingProxy

    init() throws {
        self.database = try PostgresServer.shared().makeDatabase()
        self.proxy = try CuttingProxy(to: self.database.server.port)
    }

    /// A store at the far end of the proxy, which appends in one session.
    func store(answerIn limit: Duration = .seconds(240)) throws -> PostgresEventStore {
        // A busy machine may be as long in letting somebody in as in answering.
        let patience = max(2, Int(limit / .seconds(1)))
        var configuration = PostgresConfiguration(
            for: self.database,
            url: self.database.url(port: self.proxy.port, "sslmode=disable&connect_timeout=\(patience)"))
        configuration.appendConcurrency = 1
        configuration.statementTimeout = limit / 2
        configuration.lockTimeout = limit / 2
        configuration.answerGrace = limit / 2
        return try PostgresEventStore(configuration: configuration)
    }

    func finish(_ store: PostgresEventStore) throws {
        // Nobody holds anything between two statements.
        let states = try self.database.query(
            """
            SELECT DISTINCT state FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'active'
            """)
        #expect(states == ["idle"])
        store.close()
        self.proxy.close()
        try self.database.drop()
    }
}

extension StoreError {
    /// Of what `body` throws.
    static func code(_ body: () throws -> Void) -> Code? {
        do { try body() } catch { return (error as? StoreError)?.code }
        return nil
    }
}
