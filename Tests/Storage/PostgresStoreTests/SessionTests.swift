import EventLog
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

/// Which sessions a store has, how they are set up, and when one is given up.
@Suite(.onOwnThreads, .timeLimit(.minutes(10))) struct SessionTests {
    private static let node = NodeRecord(id: NodeID(rawValue: "a"), incarnation: Incarnation(rawValue: 1))

    @Test("signs of life are taken while all that read of other nodes wait for a lock")
    func beatsHaveASessionOfTheirOwn() async throws {
        // given a node at work, and somebody who changes the store's own table
        let database = try PostgresServer.shared().makeDatabase()
        var configuration = PostgresConfiguration(for: database)
        configuration.lockTimeout = .seconds(300)
        configuration.statementTimeout = .seconds(600)
        let store = try PostgresEventStore(configuration: configuration)
        let run = try store.begin(Self.node, lease: .seconds(5))
        let lock = try await TableLock(on: "store_meta", "ACCESS EXCLUSIVE", in: database)

        // when as many read the cluster as can at a time
        async let first = onThread { try store.view() }
        async let second = onThread { try store.view() }
        try await lock.wait(untilWaiting: 2)

        // then the node beats, and leaves, before they have an answer
        #expect(try store.beat(run) != nil)
        try store.leave(run)
        #expect(try lock.waiting == 2)
        try lock.release()
        for view in try await [first, second] { #expect(view.nodes.map(\.id) == [run.owner.node]) }
        store.close()
        try database.drop()
    }

    @Test(
        "an error that tells of another server, or of a statement that it forgot, ends the session",
        arguments: [("25006", true), ("26000", true), ("0A000", true), ("53200", false)])
    func errorsEndSessions(_ state: String, _ endsSession: Bool) throws {
        // given one session that appends, and events that know theirs
        let database = try PostgresServer.shared().makeSchema()
        var configuration = PostgresConfiguration(for: database)
        configuration.appendConcurrency = 1
        let store = try PostgresEventStore(configuration: configuration)
        try database.query("ALTER TABLE event ADD COLUMN session INTEGER DEFAULT pg_backend_pid()")
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])

        // when an append is refused
        try database.query(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                RAISE EXCEPTION 'an error' USING ERRCODE = '\(state)';
            END$$;
            CREATE TRIGGER refuse BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION refuse();
            """)
        let refused = writer.batch(0, [writer.event([2])])
        #expect {
            try store.append([refused])
        } throws: { error in
            (error as? StoreError)?.code == .unavailable
        }
        try database.query("DROP TRIGGER refuse ON event")

        // then
        var next = try StoreWriter(resuming: writer)
        try next.append([next.event([1])])
        #expect(
            try database.query("SELECT count(*), count(DISTINCT session) FROM event") == [endsSession ? "2|2" : "2|1"])
        store.close()
        try database.drop()
    }

    @Test("every session sets what keeps its statements short, exact and planned, whatever the database is set to")
    func settings() async throws {
        // given a store that notes, for each kind of session, what it has set
        let database = try PostgresServer.shared().makeDatabase()
        try database.query("ALTER DATABASE \(database.name) SET default_transaction_isolation = serializable")
        var configuration = PostgresConfiguration(for: database)
        configuration.statementTimeout = .seconds(7)
        configuration.lockTimeout = .seconds(3)
        let store = try PostgresEventStore(
            configuration: configuration, migrations: SchemaMigration.all + [Self.noting])

        // when
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        #expect(try store.beat(try store.begin(Self.node, lease: .seconds(5))) != nil)
        try await store.put(InboxRow(dedupKey: [1], shard: ShardID(rawValue: 0), receivedAt: 1, raw: [1]))

        // then
        let knowsTransactionTimeout =
            try database.query("SELECT count(*) FROM pg_settings WHERE name = 'transaction_timeout'") == ["1"]
        var migrating = Self.always.merging(["statement_timeout": "0", "lock_timeout": "1000"]) { $1 }
        var working = Self.always.merging(Self.planning) { $1 }
            .merging(["statement_timeout": "7000", "lock_timeout": "3000"]) { $1 }
        if knowsTransactionTimeout {
            migrating["transaction_timeout"] = "0"
            working["transaction_timeout"] = "14000"
        }
        let writing = working.merging(["enable_nestloop": "off", "work_mem": "32768"]) { $1 }
        let reading = working.merging(["enable_hashjoin": "off"]) { $1 }
        let expected = ["migrating": migrating, "event": writing, "node": writing, "inbox": reading]
        let noted = try database.query("SELECT DISTINCT place, name, setting FROM noted")
        #expect(
            noted.sorted() == expected.flatMap { place, settings in settings.map { "\(place)|\($0)|\($1)" } }.sorted())
        store.close()
        try database.drop()
    }

    private static let always = [
        "idle_in_transaction_session_timeout": "10000", "default_transaction_isolation": "read committed",
        "transaction_isolation": "read committed", "client_min_messages": "warning",
    ]
    private static let planning = [
        "plan_cache_mode": "force_generic_plan", "jit": "off", "enable_seqscan": "off", "enable_bitmapscan": "off",
        "enable_mergejoin": "off",
    ]

    /// Events come from sessions that write, nodes' rows from those for signs of life and of others, and the inbox from
    /// those that read.
    private static let noting = SchemaMigration(
        number: 5, .expands,
        sql: """
            CREATE VIEW session_setting AS SELECT name, setting FROM pg_settings WHERE source = 'session'
                UNION SELECT 'transaction_isolation', current_setting('transaction_isolation');
            CREATE TABLE noted AS SELECT 'migrating' AS place, * FROM session_setting;
            CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                INSERT INTO noted SELECT TG_TABLE_NAME, * FROM session_setting;
                RETURN NULL;
            END$$;
            CREATE TRIGGER note AFTER INSERT ON event FOR EACH STATEMENT EXECUTE FUNCTION note();
            CREATE TRIGGER note AFTER UPDATE ON node FOR EACH STATEMENT EXECUTE FUNCTION note();
            CREATE TRIGGER note AFTER INSERT ON inbox FOR EACH STATEMENT EXECUTE FUNCTION note();
            """)
}
