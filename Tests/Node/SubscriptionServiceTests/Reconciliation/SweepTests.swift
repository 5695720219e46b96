import AppStore
import PerennialTestSupport
import Reconciliation
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// The slow comparison of everything, which goes on by itself.
@Suite(.timeLimit(.minutes(10))) struct SweepTests {
    @Test func whatNobodyToldIsFoundInItsTurnAndWhatEndedLongAgoIsLeftAlone() async throws {
        // given: of two subscriptions one was refunded, and nobody told; a third ended half a year ago
        let apple = ScriptedApple { _ in ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#) }
        var node = try Node()
        node.configuration.serverAPI = [try apple.client()]
        node.configuration.sweepPause = .seconds(3_600)
        var lives = ["1", "2"].map { TestSubscription(id: $0, from: Node.start - .days(1)) }
        var told = lives.indices.map { lives[$0].subscribe() }
        var gone = TestSubscription(id: "3", from: Node.start - .days(200))
        let payloads = try (told + [gone.expire()]).map(node.apple.sign)
        try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
        }
        lives[1].wait(.minutes(1))
        told[1] = lives[1].refund()
        apple.answers { [store = node.apple, told] request in
            guard let id = request.path.split(separator: "/").last.flatMap({ Int($0) }) else {
                return ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#)
            }
            return (try? store.statuses(told[id - 1])) ?? ScriptedApple.notFound
        }
        // when
        node.configuration.sweepPause = .milliseconds(1)
        try await node.run { service in
            await eventually { (try? service.reconciliationReport().lastSweep) != nil }
            // then
            let (first, second) = (try await service.view("1"), try await service.view("2"))
            #expect(first.snapshot?.state == .subscribed)
            #expect(second.snapshot?.state == .revoked)
            let report = try service.reconciliationReport()
            #expect(report.lastSweep?.checked == 2)
            #expect(report.lastSweep?.repaired == 1)
            #expect(report.kinds == [.missedRevocation: 1])
            #expect(report.reasons == [.sweep: 1])
            #expect(report.drift.sampled == 2)
            #expect(report.drift.different == 1)
        }
        let asked = apple.requests(to: "/subscriptions/").map(\.path).sorted()
        #expect(asked == ["/inApps/v1/subscriptions/1", "/inApps/v1/subscriptions/2"])
    }
}
