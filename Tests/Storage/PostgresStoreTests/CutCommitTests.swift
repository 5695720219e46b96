import EventLog
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

/// The way to the database breaks while the server is in the commit of an append, which its client does not see.
@Suite(.onOwnThreads, .timeLimit(.minutes(10))) struct CutCommitTests {
    private let way: CuttableDatabase

    init() throws { self.way = try CuttableDatabase() }

    @Test("a cut during the commit leaves it unknown, and the next claim waits for its end", arguments: [true, false])
    func theNextClaimWaits(isStored: Bool) async throws {
        // given an append whose commit the server has begun
        let store = try self.way.store(answerIn: .seconds(120))
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        try self.holdCommits(thenFailing: !isStored)
        var event = writer.event([1])
        event.kind = "held"
        let batch = writer.batch(0, [event])
        async let code = onThread { StoreError.code { _ = try store.append([batch]) } }
        let session = try await self.sessions("wait_event = 'PgSleep'")[0]

        // when the way breaks
        self.way.proxy.cut()
        let whenCut = try await code
        #expect(whenCut == .outcomeUnknown)

        // then whoever claims the shard waits until the server is through with it
        let last = writer
        async let claim = onThread { try StoreWriter(resuming: last, incarnation: 8) }
        _ = try await self.sessions("\(session) = ANY (pg_blocking_pids(pid))")
        #expect(try await store.log().count == 1)
        try self.way.database.query("DELETE FROM held")
        var next = try await claim

        // and learns what has become of it
        #expect(next.ownership[0].head.rawValue == (isStored ? 2 : 1))
        let known = try await store.events(withDedupKeys: [event.dedupKey], in: ShardID(rawValue: 0))
        #expect(known.count == (isStored ? 1 : 0))

        // so that in the end everything is there once
        event.kind = "renewed"
        if !isStored { try next.append([event]) }
        try next.append([next.event([1])])
        #expect(try await store.log().map(\.version.rawValue) == [1, 2, 3])
        #expect(try await store.log().map(\.sequence.rawValue) == [1, 2, 3])
        #expect(try store.append([batch]) == [.fenced])
        try self.way.finish(store)
    }

    /// Commits with events of the kind "held" wait for as long as there is a row in the table of that name.
    private func holdCommits(thenFailing isFailing: Bool) throws {
        try self.way.database.query(
            """
            CREATE TABLE held AS SELECT 1;
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                WHILE EXISTS (SELECT FROM held) LOOP PERFORM pg_sleep(0.01); END LOOP;
                \(isFailing ? "RAISE EXCEPTION 'the commit fails';" : "")
                RETURN NULL;
            END$$;
            CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW WHEN (NEW.kind = 'held') EXECUTE FUNCTION hold();
            """)
    }

    /// The store's sessions of which this holds, once there are some.
    private func sessions(_ condition: String) async throws -> [String] {
        while true {
            let sessions = try self.way.database.query(
                """
                SELECT pid FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'perennial' AND \(condition)
                """)
            if !sessions.isEmpty { return sessions }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
