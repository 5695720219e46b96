import EventLog
import Foundation
import PerennialTestSupport
import PostgresHarness
import SQLiteStore
import Testing

@Suite(.onOwnThreads, .enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct StoreCommandTests {
    private let directory: TemporaryDirectory
    private let database: PostgresDatabase
    private var file: String { self.directory.file("perennial.db") }

    init() throws {
        self.directory = try TemporaryDirectory()
        self.database = try PostgresServer.shared().makeDatabase()
    }

    /// A store with three events of two streams, closed.
    private func fill() throws {
        let store = try SQLiteEventStore(configuration: SQLiteConfiguration(path: self.file))
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1]), writer.event([1]), writer.event([2])])
        try store.close()
    }

    @Test func movesAStoreAndSaysSo() async throws {
        try self.fill()
        let place = "the database \(self.database.name) at 127.0.0.1 (port \(self.database.server.port))"

        let copied = try await PerennialProcess.run("store", "copy", "--from", self.file, "--to", self.database.url)
        let again = try await PerennialProcess.run("store", "copy", "--from", self.file, "--to", self.database.url)

        #expect(copied.status == 0)
        #expect(
            copied.output == """
                3 events of 2 streams are now in \(place)
                \(self.file) opens no more; store.url has to name the database from now on

                """)
        #expect(copied.errorLines.last?.hasSuffix(copied.errorLines.last?.split(separator: " ").first ?? "?") == true)
        #expect(again.status == 1)
        #expect(
            again.errorLines == ["error: \(self.file) was moved to \(place) and must not be written any more"])
        #expect(try self.database.query("SELECT count(*) FROM event") == ["3"])
        try self.database.drop()
    }

    @Test func findsACopyThatWasNotMarkedYet() async throws {
        try self.fill()
        let kept = self.directory.file("kept.db")
        try FileManager.default.copyItem(atPath: self.file, toPath: kept)
        _ = try await PerennialProcess.run("store", "copy", "--from", self.file, "--to", self.database.url)

        let found = try await PerennialProcess.run(
            "store", "copy", "--from", "sqlite://\(kept)", "--to", self.database.url)

        #expect(found.status == 0)
        #expect(found.output.hasPrefix("3 events of 2 streams were already in the database"))
        try self.database.drop()
    }

    @Test func aStoreInUseIsOneLineAndStaysAsItIs() async throws {
        try self.fill()
        let store = try SQLiteEventStore(configuration: SQLiteConfiguration(path: self.file))

        let refused = try await PerennialProcess.run("store", "copy", "--from", self.file, "--to", self.database.url)

        #expect(refused.status == 1)
        #expect(refused.output.isEmpty)
        #expect(refused.errorLines.count == 1)
        #expect(refused.errors.contains("in use by process"))
        try store.close()
        try SQLiteEventStore(configuration: SQLiteConfiguration(path: self.file)).close()
        try self.database.drop()
    }

    @Test func whatCannotBeCopiedIsOneLineWithoutAPassword() async throws {
        try self.fill()
        let missing = try await PerennialProcess.run(
            "store", "copy", "--from", self.directory.file("none.db"), "--to", self.database.url)
        let unreachable = try await PerennialProcess.run(
            "store", "copy", "--from", self.file, "--to", "postgresql://user:s3cret@127.0.0.1:1/db")
        let apps = try NodeFixture.apps(in: self.directory)
        let configured = try self.directory.write(
            "store: { url: \"sqlite://\(self.file)\" }\n\(apps)", to: "perennial.yaml")
        let both = try await PerennialProcess.run("store", "copy", "--from", self.file, "--config", configured)

        for result in [missing, unreachable, both] {
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(result.errorLines.count == 1)
            #expect(!result.errors.contains("s3cret"))
        }
        #expect(missing.errors.contains("none.db: there is no such file"))
        #expect(unreachable.errors.contains("cannot open the database db at 127.0.0.1 (port 1)"))
        #expect(both.errors.contains("store.url is a file; say with --to which database to copy to"))
        try self.database.drop()
    }
}
