import EventLog

/// Refuses a server on which a commit that was answered could be lost, or that takes none.
struct ServerCheck {
    let address: String

    /// Settings that the database does not have are no reason against it.
    static let statement = """
        SELECT current_setting('fsync', true), current_setting('synchronous_commit', true),
            current_setting('server_encoding', true), current_setting('transaction_read_only', true)
        """

    func check(_ result: borrowing QueryResult) throws(StatementFailure) {
        let settings = try result.rows { row throws(StoreError) in
            (
                fsync: try row.text(orNull: 0), synchronousCommit: try row.text(orNull: 1),
                encoding: try row.text(orNull: 2), readOnly: try row.text(orNull: 3)
            )
        }.first
        if settings?.readOnly == "on" {
            throw StatementFailure(
                .refused(.unavailable), "\(self.address) takes no writes: it is a standby, or set to read only")
        }
        if settings?.fsync == "off" {
            throw self.refusal("runs with fsync = off: what it has committed may be gone after a power failure")
        }
        if settings?.synchronousCommit == "off" {
            throw self.refusal(
                "has synchronous_commit = off: it answers before a commit is on disk; set it on for Perennial's role")
        }
        if let encoding = settings?.encoding, encoding != "UTF8" {
            throw self.refusal("has the encoding \(encoding); a Perennial store needs UTF8")
        }
    }

    private func refusal(_ reason: String) -> StatementFailure {
        StatementFailure(.refused(.incompatible), "\(self.address) \(reason)")
    }
}
