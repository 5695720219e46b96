import CPostgres
package import EventLog

/// A connection string, taken apart by libpq's own rules, and completed. What it says of secrets goes to libpq only.
@safe package struct ConnectionString: Sendable {
    /// Keywords and values for libpq.
    package let keywords: [(keyword: String, value: String)]
    /// For people: which database, and where.
    let address: String

    /// What holds unless the connection string says otherwise, in seconds and milliseconds as libpq has them.
    private static let defaults = [
        // Several hosts: whichever takes writes. With one host: a standby is refused at once.
        (keyword: "target_session_attrs", value: "read-write"),
        (keyword: "connect_timeout", value: "5"),
        (keyword: "fallback_application_name", value: "perennial"),
        // A server that is gone is noticed after some ten seconds, idle or not.
        (keyword: "keepalives_idle", value: "5"),
        (keyword: "keepalives_interval", value: "2"),
        (keyword: "keepalives_count", value: "3"),
        (keyword: "tcp_user_timeout", value: "10000"),
    ]

    /// - Throws: `.incompatible` for what libpq cannot read. Its own words are left out: they would quote the string.
    package init(_ text: String) throws(StoreError) {
        let given = try Self.parse(text)
        let values = Dictionary(given.map { ($0.keyword, $0.value) }, uniquingKeysWith: { $1 })
        try Self.check(values)
        self.keywords =
            Self.defaults.filter { values[$0.keyword] == nil } + given + [(keyword: "client_encoding", value: "UTF8")]
        let place = values["host"] ?? values["hostaddr"] ?? "the default host"
        self.address =
            "the database \(values["dbname"] ?? values["user"] ?? "of the default name") at \(place)"
            + (values["port"].map { " (port \($0))" } ?? "")
    }

    /// Where a password is not percent-encoded, libpq takes parts of it for the host, the port and the database.
    private static func check(_ values: [String: String]) throws(StoreError) {
        let isSplit = ["host", "dbname"].contains { (values[$0] ?? "").contains("@") }
        guard !isSplit, (values["port"] ?? "").allSatisfy({ "0123456789, ".contains($0) }) else {
            throw StoreError(
                .incompatible,
                "store.url has a host or database with an @, or a port that is no number: in names and passwords @ is "
                    + "written %40, and / %2F")
        }
    }

    private static func parse(_ text: String) throws(StoreError) -> [(keyword: String, value: String)] {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(text, &message) else {
            unsafe PQfreemem(message)
            throw StoreError(
                .incompatible,
                "store.url is no connection string of PostgreSQL: postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with "
                    + "what is special in names and passwords percent-encoded")
        }
        defer { unsafe PQconninfoFree(options) }
        var given: [(keyword: String, value: String)] = []
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                given.append((keyword: unsafe String(cString: keyword), value: unsafe String(cString: value)))
            }
            unsafe option += 1
        }
        return given
    }
}
