import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

/// In which order appends lock the rows of their shards.
@Suite(.onOwnThreads, .timeLimit(.minutes(10))) struct LockOrderTests {
    @Test("of appends to the same shards none waits for another in a circle, whatever orders they name them in")
    func isOneOrder() async throws {
        let database = try PostgresServer.shared().makeDatabase()
        let store = try PostgresEventStore(in: database)
        // Holds each row's lock for long enough that others have one, too.
        try database.query(
            """
            CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                PERFORM pg_sleep(0.001);
                RETURN NEW;
            END$$;
            CREATE TRIGGER pause BEFORE UPDATE OF head_seq ON shard FOR EACH ROW EXECUTE FUNCTION pause();
            """)
        try await StoreContract.overlappingAppends.hold(store)
        store.close()
        // What a session has counted is known when it has ended.
        let sessions = "WHERE datname = current_database() AND application_name = 'perennial'"
        while try database.query("SELECT count(*) FROM pg_stat_activity \(sessions)") != ["0"] {
            try await Task.sleep(for: .milliseconds(20))
        }
        // The store would have tried again: no append would have failed.
        let deadlocks = try database.query(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        #expect(deadlocks == ["0"])
        try database.drop()
    }
}
