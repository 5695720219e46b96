import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness
import Shards
import Subscriptions
import Testing

/// Two `perennial serve` processes, of which one has a clock that goes wrong.
@Suite(
    .enabled(
        if: TestBinary.path != nil && FakeClock.library != nil, "needs libfaketime and the perennial product"))
struct ClockStepTests {
    /// In seconds: many will have to renew by then.
    private static let longAhead = 40 * 86_400
    /// In seconds: by this clock Apple has signed all of it in a time to come.
    private static let behind = -210 * 86_400
    private let cluster: ClusterFixture
    private let directory: TemporaryDirectory

    init() async throws {
        let corpus = try await onOwnThread { try Self.customersOfToday() }
        self.cluster = try await ClusterFixture(nodes: 2, corpus: corpus)
        self.directory = try TemporaryDirectory()
    }

    /// Of whom the last that was heard is two hours ago.
    private static func customersOfToday() throws -> SignedCorpus {
        let duration = Milliseconds.days(200)
        let factory = try LifecycleFactory(
            seed: 73,
            store: StoreIdentity(
                bundleID: NodeProcess.bundleID, appAppleID: NodeProcess.appAppleID, environment: .production),
            from: SystemClock().now - .hours(2) - duration, duration: duration)
        let lives = try (0..<50).flatMap { try factory.lifecycles(ofCustomer: $0) }
        return SignedCorpus(root: factory.rootCertificate, notifications: lives.flatMap(\.notifications))
    }

    /// Waits until the node says that its clock is so many seconds ahead, give or take one.
    private func untilAhead(_ seconds: Int, _ node: NodeProcess) async throws {
        while true {
            let body = try? await node.get("/readyz?for=ingest").body
            let answer = try? JSONSerialization.jsonObject(with: Data(body ?? [])) as? [String: Any]
            if let offset = answer?["clockOffsetMilliseconds"] as? Int, abs(offset - seconds * 1_000) <= 1_000 {
                return
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Waits until some of what is due waits at the node, or nothing does.
    private func untilTimers(hold: Bool, _ node: NodeProcess) async throws {
        while true {
            if let count = try? await node.gauge("perennial_timers_overdue"), (count > 0) == hold { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Who owns what, and lives. An epoch may pass where the outcome of a commit is not known.
    private func ownership() async throws -> (owners: [Int: String], nodes: [String: String]) {
        let database = self.cluster.database
        return (try await database.shardOwners().mapValues(\.node), try await Ownership(database).nodes)
    }

    @Test(
        "a wall clock that starts far ahead, is set back and then right costs no ownership and expires nobody",
        .timeLimit(.minutes(10)))
    func costsNoOwnership() async throws {
        // given
        let clock = try FakeClock(in: self.directory, ahead: Self.longAhead)
        let wrong = try await self.cluster.start(
            0, cluster: "lease: 15s", wrapper: try clock.wrapper(), readiness: "/readyz?for=ingest")
        let right = try await self.cluster.start(1, cluster: "lease: 15s")
        try await NodeProcess.untilEvenlyDivided(among: [wrong, right])
        let before = try await self.ownership()
        let notifications = self.cluster.corpus.notifications
        var rest = notifications[...]

        for ahead in [Self.longAhead, Self.behind, 0] {
            // when
            try clock.set(ahead: ahead)
            try await self.untilAhead(ahead, wrong)
            try await NodeProcess.untilAllBeat(in: self.cluster.database)
            for notification in rest.prefix(100) {
                while (try? await wrong.notify(notification.signedPayload)) != 200 {
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            rest = rest.dropFirst(100)
            // then
            #expect(try await self.ownership() == before)
            #expect(try await wrong.get("/readyz").status == (ahead == 0 ? 200 : 503))
            try await self.untilTimers(hold: ahead == Self.longAhead, wrong)
            try await self.untilAhead(0, right)
        }
        // Nothing has become true that is not.
        let now = Date.now.ISO8601Format()
        let tooEarly = try await wrong.allEvents().compactMap { $0["effectiveAt"] as? String }.filter { $0 > now }
        #expect(tooEarly.isEmpty)
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
