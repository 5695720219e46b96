import Foundation
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import SQLiteStore
import Testing

/// Holds the catalog's page about PostgreSQL, which says of each statement what it was run against, against the statements
/// that there are.
@Suite(.onOwnThreads) struct StatementPageTests {
    private let page: String

    init() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
        self.page = try String(
            contentsOf: sources.appending(path: "Programs/Perennial/Perennial.docc/PostgreSQL.md"), encoding: .utf8)
    }

    @Test func namesEveryPreparedStatementAndNoOther() throws {
        let documented = try self.rows(below: "Prepared statements").flatMap(\.self)
        let written = try StatementNames.inSources()

        #expect(documented.sorted() == written.sorted())
    }

    @Test func namesEveryOtherStatementAndNoOther() throws {
        // given databases that tell of each statement
        let fixture = try CopyFixture()
        let stepped = try PostgresServer.shared().makeDatabase()
        for database in [stepped, fixture.database] {
            try database.query("ALTER DATABASE \(database.name) SET log_statement = 'all'")
        }

        // when one takes the steps of the schema one after the other, and one a copy
        try PostgresEventStore(in: stepped, migrations: Array(PostgresStore.SchemaMigration.all.prefix(1))).close()
        try PostgresEventStore(in: stepped).close()
        try SQLiteEventStore(in: fixture.directory).close()
        let source = try fixture.source()
        _ = try fixture.receive(source)
        try source.close()

        // then
        let rows = try self.rows(below: "Other statements")
        let sent = Self.statements(in: try stepped.server.log)
        let unnamed = sent.filter { statement in !rows.joined().contains { Self.does(statement, match: $0) } }
        let unsent = rows.filter { row in
            !sent.contains { statement in row.contains { Self.does(statement, match: $0) } }
        }
        #expect(unnamed == [])
        #expect(unsent == [])
        for database in [stepped, fixture.database] { try database.drop() }
    }

    // MARK: The page

    /// What stands in the first cells of a table: of each row its code.
    private func rows(below heading: String) throws -> [[String]] {
        let section = try #require(self.page.split(separator: "\n### \(heading)\n").dropFirst().first)
        let lines = section.split(separator: "\n").prefix { !$0.hasPrefix("#") }
        return lines.filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|")[0].matches(of: #/`([^`]+)`/#).map { String($0.output.1) }
        }
    }

    /// - Parameter pattern: how it begins, with `…` for what may stand there.
    private static func does(_ statement: Substring, match pattern: String) -> Bool {
        var rest = statement
        for (number, part) in pattern.split(separator: "…").enumerated() {
            guard let place = rest.firstRange(of: part), number > 0 || place.lowerBound == rest.startIndex else {
                return false
            }
            rest = rest[place.upperBound...]
        }
        return true
    }

    // MARK: The log

    /// The first lines of the statements without a name, of sessions that begin as the store's do.
    private static func statements(in log: String) -> [Substring] {
        var sessions: Set<Substring> = []
        var statements: [Substring] = []
        for line in log.split(separator: "\n") {
            guard let mark = line.firstRange(of: "] LOG:  statement: "),
                let session = line[..<mark.lowerBound].split(separator: "[").last
            else { continue }
            let statement = line[mark.upperBound...]
            if statement.hasPrefix("SELECT set_config(wanted.name") { sessions.insert(session) }
            if sessions.contains(session) { statements.append(statement) }
        }
        return statements
    }
}
