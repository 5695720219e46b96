import Foundation
import PostgresHarness

/// Somebody's lock on a table, as of one who reads it for long, or changes it. In a database that is the test's own.
struct TableLock {
    private static let holder = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
    private let table: String
    private let database: PostgresDatabase

    /// Returns when it is held.
    init(on table: String, _ mode: String, in database: PostgresDatabase) async throws {
        self.table = table
        self.database = database
        Thread.detachNewThread {
            _ = try? database.query("BEGIN; LOCK TABLE \(table) IN \(mode) MODE; SELECT pg_sleep(600)")
        }
        while try database.query("SELECT count(*) \(Self.holder)") != ["1"] {
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// How many wait for the table.
    var waiting: Int {
        get throws {
            try self.database.query(
                """
                SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
                WHERE datname = current_database() AND relation = '\(self.table)'::regclass AND NOT granted
                """
            ).count
        }
    }

    func wait(untilWaiting count: Int) async throws {
        while try self.waiting != count { try await Task.sleep(for: .milliseconds(50)) }
    }

    func release() throws { try self.database.query("SELECT pg_terminate_backend(pid, 5000) \(Self.holder)") }
}
