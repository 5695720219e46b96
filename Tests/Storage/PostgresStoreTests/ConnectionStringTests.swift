import PostgresStore
import Testing

@Suite struct ConnectionStringTests {
    @Test("what a connection string does not say, the store does")
    func defaults() throws {
        #expect(
            try Self.keywords(of: "postgresql://db") == [
                "host": "db", "client_encoding": "UTF8", "target_session_attrs": "read-write", "connect_timeout": "5",
                "fallback_application_name": "perennial", "keepalives_idle": "5", "keepalives_interval": "2",
                "keepalives_count": "3", "tcp_user_timeout": "10000",
            ])
    }

    @Test("a connection string has the last word, but for the encoding")
    func theStringWins() throws {
        let given = [
            "host": "db", "target_session_attrs": "any", "connect_timeout": "1", "fallback_application_name": "mine",
            "keepalives_idle": "60", "keepalives_interval": "30", "keepalives_count": "9", "tcp_user_timeout": "0",
        ]
        let string = given.map { "\($0)=\($1)" }.joined(separator: " ")
        #expect(
            try Self.keywords(of: "\(string) client_encoding=LATIN1")
                == given.merging(["client_encoding": "UTF8"]) { $1 })
    }

    /// As libpq takes them: of two values the later one.
    private static func keywords(of string: String) throws -> [String: String] {
        Dictionary(
            try ConnectionString(string).keywords.map { ($0.keyword, $0.value) }, uniquingKeysWith: { $1 })
    }
}
