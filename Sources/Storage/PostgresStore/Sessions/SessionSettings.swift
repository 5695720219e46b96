import EventLog

/// What a session is for, and how it is set up before its first statement.
struct SessionSettings: Sendable {
    enum Purpose {
        /// Appends, claims, registrations.
        case writing
        /// Reads, and what is written beside the log.
        case reading
        /// Tables are made and changed: no statement is given up for taking long.
        case migrating
    }

    private let settings: [(name: String, value: String)]
    /// How long an answer is waited for.
    let answerLimit: Duration

    init(_ purpose: Purpose, _ configuration: PostgresConfiguration) {
        let isMigrating = purpose == .migrating
        self.answerLimit = isMigrating ? .seconds(3600) : configuration.statementTimeout + configuration.answerGrace
        self.settings =
            [
                (name: "statement_timeout", value: isMigrating ? "0" : Self.text(configuration.statementTimeout)),
                (name: "lock_timeout", value: isMigrating ? "60000" : Self.text(configuration.lockTimeout)),
                // A process that is stopped holds nothing for longer. Only migrations are more than one statement.
                (name: "idle_in_transaction_session_timeout", value: "10000"),
                (name: "transaction_timeout", value: isMigrating ? "0" : Self.text(configuration.statementTimeout * 2)),
                (name: "default_transaction_isolation", value: "read committed"),
                // A commit that no standby has confirmed is known by its warning.
                (name: "client_min_messages", value: "warning"),
            ] + Self.planning(purpose)
    }

    /// Milliseconds, as PostgreSQL counts.
    private static func text(_ duration: Duration) -> String { "\(Int64(duration / .milliseconds(1)))" }

    /// Plans are made once for a session, when the tables may be empty and without statistics: left to itself the
    /// planner would settle on reading whole tables. An append joins only what it brings along and what it has just
    /// written, by hashing; all else finds its rows through indexes.
    private static func planning(_ purpose: Purpose) -> [(name: String, value: String)] {
        let common = [
            (name: "plan_cache_mode", value: "force_generic_plan"), (name: "jit", value: "off"),
            (name: "enable_seqscan", value: "off"), (name: "enable_bitmapscan", value: "off"),
            (name: "enable_mergejoin", value: "off"),
        ]
        switch purpose {
        case .writing: return common + [(name: "enable_nestloop", value: "off"), (name: "work_mem", value: "32MB")]
        case .reading: return common + [(name: "enable_hashjoin", value: "off")]
        case .migrating: return []
        }
    }

    /// Sets what the database knows of them: `transaction_timeout` came with PostgreSQL 17, and databases that are only
    /// compatible lack settings of its planner.
    var statement: String {
        let list = self.settings.map { "('\($0.name)', '\($0.value)')" }.joined(separator: ", ")
        return """
            SELECT set_config(wanted.name, wanted.value, false) FROM (VALUES \(list)) AS wanted (name, value)
            WHERE wanted.name IN (SELECT name FROM pg_settings)
            """
    }
}
