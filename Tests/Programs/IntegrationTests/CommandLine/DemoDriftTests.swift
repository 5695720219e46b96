import Foundation
import Testing

/// What `perennial reconcile report` says of a demo whose network loses a third of all notifications.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(20)))
struct DemoDriftTests {
    /// The figures of one report, as it is printed for people.
    private struct Report {
        /// How many of the last ones that the slow comparison came to had differed, and how many those were.
        var different = 0
        var sampled = 0
        /// By what led to the question.
        var occasions = ""
        var undelivered = 0

        init(_ text: String) {
            if let drift = text.firstMatch(of: #/(?m)^drift +(\d+) of the last (\d+) that were sampled$/#) {
                self.different = Int(drift.output.1) ?? 0
                self.sampled = Int(drift.output.2) ?? 0
            }
            if let occasions = text.firstMatch(of: #/(?m)^by occasion +(.+)$/#) {
                self.occasions = String(occasions.output.1)
            }
            self.undelivered = text.matches(of: #/ (\d+) not delivered, /#).compactMap { Int($0.output.1) }.reduce(0, +)
        }
    }

    @Test func driftReturnsToZeroByItselfWhileAThirdIsLost() async throws {
        // given
        let folder = try TemporaryDirectory()
        let demo = try PerennialProcess(
            "demo", "--data", folder.path, "--port", "0", "--subscribers", "2000", "--speed", "43200", "--lossy")
        let text = try await demo.text(containing: "Ctrl-C stops")
        let url = try #require(text.firstMatch(of: #/Perennial +(http\S+)/#)).output.1

        // when: nobody does anything
        let drifted = try await Self.report(of: url) { $0.different > 0 }
        // One that differed is among the last hundred until a hundred more have agreed.
        let agreed = try await Self.report(of: url) { $0.different == 0 && $0.undelivered > drifted.undelivered }
        demo.interrupt()
        let stopped = await demo.result()

        // then
        #expect(drifted.occasions.contains("sweep "))
        #expect(agreed.sampled == 100)
        #expect(stopped.status == 0)
        let received = try #require(stopped.output.firstMatch(of: #/: (\d+) notifications received/#)).output.1
        let lost = try #require(stopped.output.firstMatch(of: #/The network lost (\d+) of the attempts/#)).output.1
        let (arrived, gone) = (try #require(Int(received)), try #require(Int(lost)))
        #expect(gone * 4 > arrived, "\(gone) attempts were lost, \(arrived) notifications arrived")
    }

    /// The first one that fulfils a condition.
    private static func report(of url: Substring, _ condition: (Report) -> Bool) async throws -> Report {
        while true {
            let result = try await PerennialProcess.run("reconcile", "report", "--node", String(url))
            guard result.status == 0 else { throw ProcessFailure("no report: \(result.errors)") }
            let report = Report(result.output)
            if condition(report) { return report }
            try await Task.sleep(for: .seconds(2))  // a poll: the test does not depend on its length
        }
    }
}
