import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness
import Testing

/// Two `perennial serve` processes, of which one has a clock that goes wrong.
@Suite(
    .enabled(
        if: TestBinary.path != nil && FakeClock.library != nil, "needs libfaketime and the perennial product"))
struct ClockStepTests {
    private static let hour = 3_600
    private let cluster: ClusterFixture
    private let directory: TemporaryDirectory

    init() async throws {
        let corpus = try await onOwnThread { try SignedCorpus(count: 400, seed: 73) }
        self.cluster = try await ClusterFixture(nodes: 2, corpus: corpus)
        self.directory = try TemporaryDirectory()
    }

    /// In milliseconds, as the node says it.
    private func offset(of node: NodeProcess) async throws -> Int {
        let (status, body) = try await node.get("/readyz")
        let answer = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        guard status == 200, let offset = answer?["clockOffsetMilliseconds"] as? Int else {
            throw ProcessFailure("no readiness: \(status) \(String(decoding: body, as: UTF8.self))")
        }
        return offset
    }

    /// Waits until the node says so, give or take the second for which timers and signs of life may be apart.
    private func untilAhead(_ seconds: Int, _ node: NodeProcess) async throws {
        while try await abs(self.offset(of: node) - seconds * 1_000) > 1_000 {
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    @Test(
        "a wall clock that starts an hour ahead, is set back and then right costs no ownership, and holds timers meanwhile",
        .timeLimit(.minutes(10)))
    func costsNoOwnership() async throws {
        // given
        let clock = try FakeClock(in: self.directory, ahead: Self.hour)
        let wrong = try await self.cluster.start(0, cluster: "lease: 15s", wrapper: try clock.wrapper())
        let right = try await self.cluster.start(1, cluster: "lease: 15s")
        try await NodeProcess.untilEvenlyDivided(among: [wrong, right])
        let before = try await Ownership(self.cluster.database)
        let notifications = self.cluster.corpus.notifications
        var rest = notifications[...]

        for ahead in [Self.hour, -Self.hour, 0] {
            // when
            try clock.set(ahead: ahead)
            try await self.untilAhead(ahead, wrong)
            try await NodeProcess.untilAllBeat(in: self.cluster.database)
            for notification in rest.prefix(100) {
                #expect(try await wrong.notify(notification.signedPayload) == 200)
            }
            rest = rest.dropFirst(100)
            // then
            #expect(try await Ownership(self.cluster.database) == before)
            #expect(try await abs(self.offset(of: right)) < 1_000)
        }
        #expect(wrong.process.errorOutput.contains("The clock is wrong: timers hold"))
        #expect(wrong.process.errorOutput.contains("The clock is right again: timers go on"))
        #expect(!right.process.errorOutput.contains("The clock is"))
        try await self.cluster.expectOnce(notifications.prefix(300), on: [wrong, right])
        for node in [wrong, right] {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }
}
