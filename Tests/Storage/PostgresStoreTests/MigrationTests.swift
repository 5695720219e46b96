import EventLog
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

/// Steps of the schema on a store that is in use.
@Suite(.onOwnThreads, .timeLimit(.minutes(10))) struct MigrationTests {
    @Test("while a step waits for a table that somebody reads, signs of life get through")
    func beatsGetThrough() async throws {
        // given a node at work, and somebody who reads its table
        let database = try PostgresServer.shared().makeDatabase()
        var configuration = PostgresConfiguration(for: database)
        configuration.lockTimeout = .seconds(300)
        configuration.statementTimeout = .seconds(600)
        let older = try PostgresEventStore(configuration: configuration)
        let run = try older.begin(
            NodeRecord(id: NodeID(rawValue: "a"), incarnation: Incarnation(rawValue: 1)), lease: .seconds(5))
        let reader = try await TableLock(on: "node", "ACCESS SHARE", in: database)

        // when a newer version changes the table
        let step = SchemaMigration(number: 5, .expands, sql: "ALTER TABLE node ADD COLUMN note TEXT")
        async let opening = onThread {
            try PostgresEventStore(in: database, migrations: SchemaMigration.all + [step])
        }
        try await reader.wait(untilWaiting: 1)

        // then a beat is taken before the reader has ended, and the step is done after that
        #expect(try older.beat(run) != nil)
        try reader.release()
        let newer = try await opening
        #expect(try database.query("SELECT steps, note IS NULL FROM store_meta, node") == ["5|t"])
        for store in [older, newer] { store.close() }
        try database.drop()
    }
}
