import EventLog
import Foundation
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Subscriptions
import Testing

/// Opening a database, making it a store, and refusing it.
@Suite(.onOwnThreads) struct OpeningTests {
    /// Another server, which would lose what it has answered for.
    private static let careless = Result { try PostgresServer(settings: ["fsync=off"]) }

    private let database: PostgresDatabase

    init() throws { self.database = try PostgresServer.shared().makeDatabase() }

    @Test func everythingIsThereAfterReopening() async throws {
        let store = try PostgresEventStore(in: self.database)
        var writer = try StoreWriter(store, incarnation: 5)
        var batch = writer.batch(3, [writer.event([1]), writer.event([1])])
        batch.lookups = [Lookup(kind: .customer, value: "c", key: [1])]
        _ = try writer.append([batch])
        try await store.setBookmarks(["read": [1, 2]])
        let log = try await store.log(3)
        store.close()

        let reopened = try PostgresEventStore(in: self.database)
        #expect(reopened.identity == store.identity)
        #expect(try await reopened.log(3) == log)
        #expect(try await reopened.bookmarks(["read"]) == ["read": [1, 2]])
        let claimed = try StoreWriter(reopened, incarnation: 6).ownership[3]
        #expect(claimed.epoch.rawValue == 2 && claimed.head.rawValue == 2)
        reopened.close()
        try self.database.drop()
    }

    @Test func nodesThatStartAtOnceShareOneStore() async throws {
        let database = self.database
        let identities = try await withThrowingTaskGroup(of: StoreIdentity.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try await onThread {
                        let store = try PostgresEventStore(in: database)
                        defer { store.close() }
                        return store.identity
                    }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(identities.count == 1)
        #expect(try self.database.query("SELECT count(*), max(schema) FROM store_meta, shard") == ["64|1"])
        try self.database.drop()
    }

    @Test func nodesThatUpgradeAtOnceTakeEachStepOnce() async throws {
        try PostgresEventStore(in: self.database, migrations: Array(SchemaMigration.all.prefix(1))).close()
        let next = SchemaMigration(
            number: 5, .contracts, sql: "CREATE SEQUENCE once; ALTER TABLE stream ADD COLUMN note TEXT")
        let database = self.database
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await onThread {
                        try PostgresEventStore(in: database, migrations: SchemaMigration.all + [next]).close()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try self.database.query("SELECT schema, steps FROM store_meta") == ["5|5"])
        self.expectRefusal(.incompatible, "has schema 5, written by a newer version; this one knows 4")
        try self.database.drop()
    }

    @Test(arguments: [
        "SELECT nonsense",
        // So that only the note fails that the step was done.
        "ALTER TABLE store_meta RENAME COLUMN steps TO renamed",
    ])
    func aMigrationThatFailsChangesNothing(_ fault: String) throws {
        // given
        try PostgresEventStore(in: self.database).close()
        let addition = "ALTER TABLE stream ADD COLUMN note TEXT"
        let stepsAndColumns = """
            SELECT steps, (SELECT count(*) FROM information_schema.columns WHERE column_name = 'note') FROM store_meta
            """

        // when
        let broken = SchemaMigration(number: 5, .expands, sql: "\(addition); \(fault)")
        #expect(throws: StoreError.self) {
            try PostgresEventStore(in: self.database, migrations: SchemaMigration.all + [broken])
        }

        // then
        #expect(try self.database.query(stepsAndColumns) == ["4|0"])
        let corrected = SchemaMigration(number: 5, .expands, sql: addition)
        try PostgresEventStore(in: self.database, migrations: SchemaMigration.all + [corrected]).close()
        #expect(try self.database.query(stepsAndColumns) == ["5|1"])
        try self.database.drop()
    }

    @Test func severalStoresInOneDatabaseEachHaveTheirSchema() throws {
        try self.database.query("CREATE SCHEMA one; CREATE SCHEMA two")
        let stores = try ["one", "two"].map { name in
            try PostgresEventStore(
                in: self.database, url: self.database.url("sslmode=disable&options=-csearch_path%3D\(name)"))
        }
        #expect(stores[0].identity.storeID != stores[1].identity.storeID)
        for store in stores { store.close() }
        try PostgresEventStore(in: self.database).close()
        try self.database.drop()
    }

    /// As one that is copied there for longer than a name is waited for.
    @Test func aStoreThatIsBeingMadeIsWaitedFor() throws {
        try self.database.query(
            """
            CREATE SEQUENCE attempts;
            CREATE FUNCTION hold_up() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('attempts') < 3 THEN RAISE 'lock timeout' USING ERRCODE = '55P03'; END IF;
            END $$;
            CREATE EVENT TRIGGER hold_up ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION hold_up();
            """)
        try PostgresEventStore(in: self.database).close()
        #expect(try self.database.query("SELECT last_value >= 3 FROM attempts") == ["t"])
        try self.database.drop()
    }

    // MARK: Refusals

    @Test func whatIsNotAStoreIsRefused() throws {
        self.expectRefusal(.incompatible, "16…4096 shards, a power of two, not 100", shardCount: 100)
        self.expectRefusal(
            .incompatible, "search_path names no schema",
            url: self.database.url("sslmode=disable&options=-csearch_path%3Dnowhere"))
        try self.database.query("CREATE TABLE theirs (id INTEGER)")
        self.expectRefusal(.incompatible, "the schema public holds tables, but is not a Perennial store")
        try self.database.query("DROP TABLE theirs")
        try PostgresEventStore(in: self.database).close()
        self.expectRefusal(.incompatible, "made with 64 shards, and 256 are configured", shardCount: 256)
        try self.database.query("UPDATE store_meta SET moved_to = 'postgresql://elsewhere'")
        self.expectRefusal(.incompatible, "was moved to postgresql://elsewhere")
        try self.database.query("DELETE FROM store_meta")
        self.expectRefusal(.corrupt, "has lost its store_meta row")
        try self.database.drop()
    }

    @Test func anOrdinaryRoleIsEnough() async throws {
        let (owner, guest) = ("owner_\(self.database.name)", "guest_\(self.database.name)")
        try self.database.query(
            """
            CREATE ROLE \(owner) LOGIN; ALTER DATABASE \(self.database.name) OWNER TO \(owner);
            CREATE ROLE \(guest) LOGIN; CREATE SCHEMA \(guest); GRANT USAGE, CREATE ON SCHEMA \(guest) TO \(guest);
            """)
        let urls = [
            self.database.url(user: owner), self.database.url(user: guest),  // whose "$user" schema it is
        ]
        for url in urls {
            let store = try PostgresEventStore(in: self.database, url: url)
            var writer = try StoreWriter(store)
            try writer.append([writer.event([1])])
            #expect(try await store.log().count == 1)
            store.close()
        }
        #expect(try self.database.query("SELECT count(*) FROM public.event, \(guest).event AS other") == ["1"])
        try self.database.drop()
        try self.database.server.query("DROP ROLE \(owner); DROP ROLE \(guest)", in: "postgres")
    }

    @Test func aRoleThatMayNotMakeTablesIsToldSo() throws {
        let role = "role_\(self.database.name)"
        try self.database.query("REVOKE CREATE ON SCHEMA public FROM PUBLIC; CREATE ROLE \(role) LOGIN")
        self.expectRefusal(
            .incompatible, "permission denied for schema public", url: self.database.url(user: role))
        try self.database.drop()
        try self.database.server.query("DROP ROLE \(role)", in: "postgres")
    }

    @Test func aServerThatTakesNoWritesIsRefused() throws {
        try self.database.query("ALTER DATABASE \(self.database.name) SET default_transaction_read_only = on")
        self.expectRefusal(.unavailable, "read-only")
        self.expectRefusal(
            .unavailable, "takes no writes: it is a standby, or set to read only",
            url: self.database.url("sslmode=disable&target_session_attrs=any"))
        try self.database.drop()
    }

    @Test func aDatabaseThatAnswersBeforeItsCommitsAreOnDiskIsRefused() throws {
        try self.database.query("ALTER DATABASE \(self.database.name) SET synchronous_commit = off")
        self.expectRefusal(.incompatible, "has synchronous_commit = off")
        try self.database.drop()
        let database = try Self.careless.get().makeDatabase()
        self.expectRefusal(.incompatible, "runs with fsync = off", url: database.url)
        try database.drop()
    }

    @Test func anotherEncodingIsRefused() throws {
        let database = try self.database.server.makeDatabase(encoding: "LATIN1")
        self.expectRefusal(.incompatible, "has the encoding LATIN1", url: database.url)
        try database.drop()
        try self.database.drop()
    }

    @Test func aPlaceWhereNobodyIsIsOneReadableLine() throws {
        let down = try CuttingProxy(to: 1)
        down.set(.down)
        self.expectRefusal(
            .unavailable, "cannot open the database", url: self.database.url(port: down.port))
        down.close()
        try self.database.drop()
        self.expectRefusal(.unavailable, "does not exist")
    }

    // MARK: Connection strings

    @Test func theFirstOfSeveralHostsThatIsThereIsTaken() async throws {
        let (server, name) = (self.database.server, self.database.name)
        let dead = try CuttingProxy.deadPort()
        let store = try PostgresEventStore(
            in: self.database,
            url: "postgresql://postgres@127.0.0.1:\(dead),127.0.0.1:\(server.port)/\(name)?sslmode=disable")
        try await store.ping()
        store.close()
        let keywords = "host=127.0.0.1 port=\(server.port) user=postgres dbname=\(name) sslmode=disable"
        try PostgresEventStore(in: self.database, url: keywords).close()
        try self.database.drop()
    }

    @Test func aHostThatTakesNoWritesIsPassedOver() async throws {
        let (server, other, name) = (self.database.server, try Self.careless.get(), self.database.name)
        try other.query("CREATE DATABASE \(name)", in: "postgres")
        try other.query("ALTER DATABASE \(name) SET default_transaction_read_only = on", in: "postgres")
        let store = try PostgresEventStore(
            in: self.database,
            url: "postgresql://postgres@127.0.0.1:\(other.port),127.0.0.1:\(server.port)/\(name)?sslmode=disable")
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        #expect(try self.database.query("SELECT count(*) FROM event") == ["1"])
        store.close()
        try other.query("DROP DATABASE \(name) WITH (FORCE)", in: "postgres")
        try self.database.drop()
    }

    @Test func anEncryptedConnectionChecksWhoAnswers() async throws {
        let server = self.database.server
        let store = try PostgresEventStore(
            in: self.database,
            url: self.database.url("sslmode=verify-full&sslrootcert=\(server.certificate)"))
        try await store.ping()
        let encrypted = try self.database.query(
            """
            SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
            WHERE application_name = 'perennial' AND datname = current_database()
            """)
        #expect(encrypted == ["t"])
        store.close()
        let directory = try TemporaryDirectory()
        try Self.otherCertificate.write(toFile: directory.path("root.crt"), atomically: true, encoding: .utf8)
        self.expectRefusal(
            .unavailable, "certificate verify failed",
            url: self.database.url("sslmode=verify-ca&sslrootcert=\(directory.path("root.crt"))"))
        try self.database.drop()
    }

    /// Somebody's, who has signed nothing here.
    private static let otherCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBeDCCAR2gAwIBAgIUM6vNMrr21eGyyr4CTxJjtYE8dnEwCgYIKoZIzj0EAwIw
        EDEOMAwGA1UEAwwFb3RoZXIwIBcNMjYxMTIyMDUzMzM4WhgPMjEyNjEwMjkwNTMz
        MzhaMBAxDjAMBgNVBAMMBW90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        p/ep9n0hs1kw/KnNDD33NkWpMetCFShDiq1WPI+oA5c2MSwAgym3BfabNmqRv6Ea
        YWIyDq6qljr5ULjGMGqGMaNTMFEwHQYDVR0OBBYEFFJewltKCPWirb56rtczEATK
        MR9AMB8GA1UdIwQYMBaAFFJewltKCPWirb56rtczEATKMR9AMA8GA1UdEwEB/wQF
        MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhANrphJ+I/V0D7PvZrslR3tWSVFgld+fD
        yVoZvuxBwUwRAiEAmouPryJTb1lR/cbicNothMVaCe5LlPLfEZNW6XnmJmE=
        -----END CERTIFICATE-----
        """

    @Test(arguments: [
        "postgresql://user:s3cret@127.0.0.1:port/db", "postgresql://user:s3%zzcret@127.0.0.1/db",
        "postgresql://user:p@s3cret@127.0.0.1/db", "postgresql://user:s3cret@127.0.0.1:1/db",
        "postgresql://user:a/s3cret@127.0.0.1/db", "postgresql://user:1/s3cret@127.0.0.1/db",
        "postgresql://user:s3cret/a@127.0.0.1/db", "postgresql://user:a?b@c/s3cret@127.0.0.1/db",
        "host=127.0.0.1 port=1 password=s3cret user=u dbname=db", "host=127.0.0.1 password='s3cret",
        "postgresql://user:s3cret@127.0.0.1/db?nonsense=1", "mysql://user:s3cret@127.0.0.1/db", "s3cret", "",
    ])
    func noErrorShowsAPassword(_ url: String) throws {
        var configuration = PostgresConfiguration(connectionString: url)
        configuration.shardCount = StoreContract.shardCount
        #expect {
            _ = try PostgresEventStore(configuration: configuration)
        } throws: { error in
            !"\(error)".contains("s3cret") && !((error as? StoreError)?.message.contains("\n") ?? true)
        }
        try self.database.drop()
    }

    private func expectRefusal(
        _ code: StoreError.Code, _ text: String, url: String? = nil, shardCount: Int = StoreContract.shardCount,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var configuration = PostgresConfiguration(for: self.database, url: url)
        configuration.shardCount = shardCount
        #expect(sourceLocation: sourceLocation) {
            try PostgresEventStore(configuration: configuration)
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            if error.code == code, error.message.contains(text), !error.message.contains("\n") { return true }
            print("not \"\(text)\": \(error.code) \(error.message)")
            return false
        }
    }
}

/// Opening a store blocks.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: body)) }
    }
}
