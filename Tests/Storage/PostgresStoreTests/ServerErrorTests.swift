import EventLog
import Foundation
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

/// What the server says, and what the store makes of it.
@Suite(.onOwnThreads, .timeLimit(.minutes(10))) struct ServerErrorTests {
    private let database: PostgresDatabase

    init() throws { self.database = try PostgresServer.shared().makeSchema() }

    @Test(arguments: [
        ("23505", StoreError.Code.conflict), ("22021", .conflict), ("54000", .conflict), ("53100", .full),
        ("40001", .unavailable), ("40P01", .unavailable), ("40003", .outcomeUnknown), ("08006", .outcomeUnknown),
        ("53200", .unavailable), ("55P03", .unavailable), ("57014", .unavailable), ("25006", .unavailable),
        ("XX001", .corrupt), ("XX002", .corrupt), ("42501", .incompatible), ("58030", .unavailable),
    ])
    func anErrorOfTheServerHasItsMeaning(_ state: String, _ code: StoreError.Code) async throws {
        let store = try PostgresEventStore(in: self.database)
        try self.onEachEvent("RAISE EXCEPTION 'an error' USING ERRCODE = '\(state)';")
        for moment in Moment.allCases {
            let batch = try Self.batch(for: store, raisingAt: moment)
            #expect {
                try store.append([batch])
            } throws: { error in
                guard let error = error as? StoreError else { return false }
                return error.code == code && error.message == "an error (SQLSTATE \(state))"
            }
        }
        #expect(try await store.log().isEmpty)
        try self.finish(store)
    }

    @Test func aCollisionIsTriedAgain() async throws {
        let store = try PostgresEventStore(in: self.database)
        var writer = try StoreWriter(store)
        try self.database.query("CREATE SEQUENCE attempts")
        try self.onEachEvent(
            "IF nextval('attempts') < 3 THEN RAISE EXCEPTION 'collided' USING ERRCODE = '40001'; END IF;")
        #expect(try writer.append([writer.event([1])]) == [.appended(head: LogSequence(rawValue: 1))])
        #expect(try self.database.query("SELECT last_value FROM attempts") == ["3"])
        try self.finish(store)
    }

    /// PostgreSQL says so when it stops waiting for a standby: the commit is here, and may not be there.
    @Test func aWarningLeavesTheOutcomeUnknown() async throws {
        let store = try PostgresEventStore(in: self.database)
        try self.onEachEvent("RAISE WARNING 'not confirmed';")
        for moment in Moment.allCases {
            let batch = try Self.batch(for: store, raisingAt: moment)
            #expect {
                try store.append([batch])
            } throws: { error in
                (error as? StoreError)?.code == .outcomeUnknown
            }
        }
        #expect(try await store.log().map(\.kind) == ["row", "commit"])
        try self.finish(store)
    }

    @Test("a commit that no standby confirms is of unknown outcome, and it is stored here")
    func anUnconfirmedCommit() async throws {
        // given a database that waits for a standby that is not there, but not for what has prepared the store
        let server = try PostgresServer(settings: ["synchronous_standby_names=nobody", "synchronous_commit=local"])
        let database = try server.makeDatabase()
        let prepared = try PostgresEventStore(in: database)
        let store = try PostgresEventStore(
            in: database, url: database.url("sslmode=disable&options=-csynchronous_commit%3Don"))
        let batch = try Self.batch(for: prepared, raisingAt: .commit)
        async let code = onThread { StoreError.code { _ = try store.append([batch]) } }

        // when it stops waiting
        let waiting = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'"
        while try database.query("SELECT pg_cancel_backend(pid) \(waiting)") != ["t"] {
            try await Task.sleep(for: .milliseconds(20))
        }

        // then
        let found = try await code
        #expect(found == .outcomeUnknown)
        #expect(try await prepared.log().count == 1)
        for store in [prepared, store] { store.close() }
        try self.database.drop()
    }

    @Test func aWarningComesThoughTheDatabaseIsSetToSendNone() async throws {
        let database = try self.database.server.makeDatabase()
        try database.query("ALTER DATABASE \(database.name) SET client_min_messages = error")
        let store = try PostgresEventStore(in: database)
        var writer = try StoreWriter(store)
        let batch = writer.batch(0, [writer.event([1])])
        try self.onEachEvent("RAISE WARNING 'not confirmed';", in: database)
        #expect {
            try store.append([batch])
        } throws: { error in
            (error as? StoreError)?.code == .outcomeUnknown
        }
        store.close()
        try database.drop()
        try self.database.drop()
    }

    @Test func aRowThatSomebodyHoldsIsWaitedForInVainAndNothingIsLost() async throws {
        let database = try self.database.server.makeDatabase()
        var configuration = PostgresConfiguration(for: database)
        configuration.lockTimeout = .milliseconds(100)
        try await self.expectUnavailable(configuration, in: database, state: "55P03")
    }

    @Test func aStatementThatTakesTooLongIsGivenUp() async throws {
        let database = try self.database.server.makeDatabase()
        var configuration = PostgresConfiguration(for: database)
        configuration.statementTimeout = .seconds(10)
        try await self.expectUnavailable(configuration, in: database, state: "57014")
    }

    private func expectUnavailable(
        _ configuration: PostgresConfiguration, in database: PostgresDatabase, state: String
    ) async throws {
        let store = try PostgresEventStore(configuration: configuration)
        var writer = try StoreWriter(store)
        let batch = writer.batch(0, [writer.event([1])])
        async let held = onThread {
            try? database.query("BEGIN; SELECT FROM shard WHERE shard_id = 0 FOR UPDATE; SELECT pg_sleep(600)")
        }
        let holders = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        while try database.query("SELECT count(*) \(holders)") != ["1"] {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect {
            try store.append([batch])
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .unavailable && error.message.contains(state)
        }
        try database.query("SELECT pg_terminate_backend(pid, 5000) \(holders)")
        _ = try await held
        #expect(try store.append([batch]) == [.appended(head: LogSequence(rawValue: 1))])
        store.close()
        try database.drop()
        try self.database.drop()
    }

    @Test func whatPostgresCannotHoldIsAConflictAndStaysOut() async throws {
        let store = try PostgresEventStore(in: self.database)
        var writer = try StoreWriter(store)
        var random = SeededGenerator(seed: 3)
        var named = writer.event([1])
        named.kind = "a\u{0}b"
        let longKey = writer.event(random.bytes(9000))
        for event in [named, longKey] {
            let batch = writer.batch(0, [event])
            #expect {
                try store.append([batch])
            } throws: { error in
                (error as? StoreError)?.code == .conflict
            }
        }
        try writer.append([writer.event([2])])
        #expect(try await store.log().count == 1)
        try self.finish(store)
    }

    @Test func aPayloadIsQuarantinedWhateverItsReasonHolds() async throws {
        let store = try PostgresEventStore(in: self.database)
        try await store.quarantine(
            QuarantinedPayload(digest: [1], reason: "r", detail: "bundle \"a\u{0}b\"", receivedAt: 1, raw: [0]))
        #expect(try await store.quarantined(after: 0, limit: 1).map(\.detail) == ["bundle \"a\u{FFFD}b\""])
        try self.finish(store)
    }

    @Test(arguments: [
        "UPDATE evidence SET body = '\\x0102'", "UPDATE evidence SET body = ''", "UPDATE evidence SET headers = '1,x'",
        "UPDATE evidence SET headers = ''", "DELETE FROM jws_header",
    ])
    func garbageInEvidenceIsCorrupt(_ damage: String) async throws {
        let store = try PostgresEventStore(in: self.database)
        var writer = try StoreWriter(store)
        var notifications = SyntheticNotifications()
        try writer.append([writer.event([1], evidence: [notifications.renewal(customer: 1, period: 1)])])
        try self.database.query(damage)
        await #expect {
            _ = try await store.evidence(of: LogSequence(rawValue: 1), in: ShardID(rawValue: 0))
        } throws: { error in
            (error as? StoreError)?.code == .corrupt
        }
        try self.finish(store)
    }

    @Test func aShardThatTheStoreDoesNotHaveIsPassedOver() async throws {
        let store = try PostgresEventStore(in: self.database)
        let last = ShardID(rawValue: UInt16(StoreContract.shardCount - 1))
        try self.database.query("INSERT INTO shard (shard_id) VALUES (\(StoreContract.shardCount))")
        #expect(try store.view().shards.last?.shard == last)
        #expect(try await store.shards().last?.shard == last)
        #expect(try await store.heads().last?.shard == last)
        try self.finish(store)
    }

    @Test func aReadThatIsCancelledEndsAndTheNextOnesGoOn() async throws {
        let store = try PostgresEventStore(in: self.database)
        for _ in 0..<50 {
            let reads = (0..<20).map { _ in Task { try await store.heads() } }
            for (place, read) in reads.enumerated() where place % 2 == 0 { read.cancel() }
            for read in reads {
                switch await read.result {
                case .success(let heads): #expect(heads.count == StoreContract.shardCount)
                case .failure(let error): #expect((error as? StoreError)?.message == "the caller gave up")
                }
            }
        }
        let reads = (0..<100).map { _ in Task { try await store.heads() } }
        store.close()
        for read in reads { _ = await read.result }
        await #expect { try await store.ping() } throws: { ($0 as? StoreError)?.code == .unavailable }
        try self.database.drop()
    }

    /// When `onEachEvent` has its effect; the kind of the event says so.
    private enum Moment: String, CaseIterable {
        case row
        /// When the server has said what the statement gave back, and commits.
        case commit
    }

    /// From an owner that has just claimed the shards.
    private static func batch(for store: PostgresEventStore, raisingAt moment: Moment) throws -> ShardBatch {
        var writer = try StoreWriter(store)
        var event = writer.event(Array(moment.rawValue.utf8))
        event.kind = moment.rawValue
        return writer.batch(0, [event])
    }

    /// Runs PL/pgSQL before each event's row is written, or when it is committed.
    private func onEachEvent(_ body: String, in database: PostgresDatabase? = nil) throws {
        try (database ?? self.database).query(
            """
            CREATE FUNCTION interfere() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN \(body) RETURN NEW; END$$;
            CREATE TRIGGER interfere BEFORE INSERT ON event
                FOR EACH ROW WHEN (NEW.kind <> '\(Moment.commit)') EXECUTE FUNCTION interfere();
            CREATE CONSTRAINT TRIGGER interfere_late AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW WHEN (NEW.kind = '\(Moment.commit)') EXECUTE FUNCTION interfere();
            """)
    }

    private func finish(_ store: PostgresEventStore) throws {
        store.close()
        try self.database.drop()
    }
}
