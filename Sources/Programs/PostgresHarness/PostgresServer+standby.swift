import Foundation

/// For tests of what becomes of those whose database is taken over by a standby.
extension PostgresServer {
    /// A standby, which follows `primary` and takes no writes. Returns when it takes connections.
    /// - Parameter port: where it reaches the primary; nil for the primary's own.
    package convenience init(standbyOf primary: PostgresServer, port: UInt16? = nil) throws {
        try self.init([]) { programs, data in
            let address = "host=127.0.0.1 port=\(port ?? primary.port) user=postgres"
            try programs.run("pg_basebackup", ["-d", address, "-D", data, "--write-recovery-conf", "-c", "fast"])
        }
    }

    /// From now on a commit is answered only when its standby has it, too. Returns when that holds.
    package func waitForStandby() throws {
        try self.query("ALTER SYSTEM SET synchronous_standby_names = '*'", in: "postgres")
        try self.query("SELECT pg_reload_conf()", in: "postgres")
        let question = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        let deadline = ContinuousClock.now + .seconds(300)
        while try self.query(question, in: "postgres") != ["1"] {
            guard .now < deadline else { throw HarnessError("no standby follows") }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    /// Makes a standby a primary. Returns when it takes writes.
    package func promote() throws {
        guard try self.query("SELECT pg_promote()", in: "postgres") == ["t"] else {
            throw HarnessError("the standby does not become a primary")
        }
    }
}
