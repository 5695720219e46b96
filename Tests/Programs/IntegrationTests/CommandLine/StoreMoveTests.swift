import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness
import Testing

/// A node outgrows its file: it goes on with a database as if nothing had happened.
@Suite(.onOwnThreads, .enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct StoreMoveTests {
    @Test func aNodeGoesOnWithTheDatabase() async throws {
        // given a node on a file, which knows a customer
        let fixture = try NodeFixture()
        let active = try fixture.lifecycle(status: 1)
        let (first, url) = try await fixture.start()
        try await fixture.post(active.notifications, to: url)
        let history = try await self.history(of: active, at: url)
        let events = try await PerennialProcess.run("events", "tail", "--output", "json", "--node", url)
        let cursor = try #require(events.errors.firstMatch(of: #/next: --after (?<cursor>\S+)/#)?.output.cursor)
        first.terminate()
        #expect(await first.result().status == 0)

        // when its store moves
        let database = try PostgresServer.shared().makeDatabase()
        let copied = try await PerennialProcess.run(
            "store", "copy", "--config", fixture.configuration, "--to", database.url)
        #expect(copied.status == 0, "\(copied.errors)")

        // then the file is closed to it
        let refused = try await PerennialProcess.run("serve", "--config", fixture.configuration)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("was moved to the database \(database.name)"))

        // and it goes on with the database: same history, same cursors
        let second = try PerennialProcess(
            "serve", "--config", fixture.configuration, environment: ["PERENNIAL_STORE_URL": database.url])
        let text = try await second.text(containing: "Listening")
        let address = try #require(text.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).output
        #expect(try await self.history(of: active, at: String(address)) == history)
        try await fixture.post(active.notifications, to: String(address))
        let rest = try await PerennialProcess.run(
            "events", "tail", "--after", String(cursor), "--output", "json", "--node", String(address))
        #expect(rest.status == 0, "\(rest.errors)")
        #expect(rest.output.isEmpty)
        second.terminate()
        #expect(await second.result().status == 0)
        try database.drop()
    }

    private func history(of lifecycle: SimulatedLifecycle, at url: String) async throws -> String {
        let result = try await PerennialProcess.run(
            "subscription", "history", lifecycle.truth.originalTransactionID, "--evidence", "--output", "json",
            "--node",
            url)
        #expect(result.status == 0, "\(result.errors)")
        return result.output
    }
}
