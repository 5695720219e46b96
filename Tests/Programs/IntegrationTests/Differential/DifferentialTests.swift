import AppStoreSimulator
import EventLog
import Foundation
import PerennialTestSupport
import SQLiteStore
import Subscriptions
import Testing

/// Two years of customers against the truth, with notifications lost, late, repeated and in disorder. Nobody may be told
/// anything wrong, unless the notification that would have told it has not arrived.
@Suite(.onOwnThreads, .serialized) struct DifferentialTests {
    /// `PERENNIAL_DIFFERENTIAL_CUSTOMERS` tells how many; few unless it is set.
    private static let customers =
        ProcessInfo.processInfo.environment["PERENNIAL_DIFFERENTIAL_CUSTOMERS"].flatMap(Int.init) ?? 300

    @Test func everyAnswerInProductionIsTrue() async throws {
        var differential = Differential(seed: 1, customers: Self.customers)
        differential.disturbances = Disturbances(lose: 0.3, repeat: 0.3, delay: 1, reorder: 0.3)
        let findings = try await self.expectTruth("Production", differential)
        // what is on the way may excuse some answers about the present, not many
        #expect(findings.explained.values.reduce(0, +) * 5 < findings.answers)
    }

    @Test func whatSandboxNeverSentIsAllThatIsNotTrueThere() async throws {
        // one attempt only: a third never arrives
        let findings = try await self.expectTruth(
            "Sandbox", Differential(seed: 2, environment: .sandbox, customers: Self.customers / 3))
        #expect(findings.explained["given up", default: 0] > 0)
    }

    @Test func everyAnswerFromSQLiteIsTrue() async throws {
        // given
        let directory = try PerennialTestSupport.TemporaryDirectory()
        var differential = Differential(seed: 3, customers: 30)
        differential.makeStore = {
            var configuration = SQLiteConfiguration(path: directory.path("store.db"))
            configuration.shardCount = 16
            return try SQLiteEventStore(configuration: configuration)
        }
        // when, then
        try await self.expectTruth("Production, SQLite", differential)
    }

    @discardableResult
    private func expectTruth(_ name: String, _ differential: Differential) async throws -> Findings {
        let findings = try await differential.run()
        print("Differential, \(name): \(findings.summary)")
        #expect(findings.unexplained == 0, "\(findings.report)")
        #expect(findings.answers >= 25 * differential.customers)
        return findings
    }
}
