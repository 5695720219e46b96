import Perennial
import Subscriptions
import Testing

@Suite struct DemoSummaryTests {
    private var summary: DemoSummary

    init() {
        self.summary = DemoSummary(now: Moment(milliseconds: 1_783_000_000_000))
        self.summary.totals.received = 20
        self.summary.totals.checks = 12
        self.summary.totals.lost = 8
        self.summary.totals.repeated = 6
        self.summary.totals.givenUp = 2
        self.summary.waiting = 2
        self.summary.states = ["expired": 1, "subscribed": 8]
        self.summary.agreement.equal = 8
        self.summary.agreement.all = 9
        self.summary.checksPerSecond = 12
        self.summary.freshness = .milliseconds(4)
    }

    @Test func isOneLineWithTheStatesInOneOrder() {
        #expect(
            self.summary.line
                == "2026-07-02 | 20 received | 12 checks/s | visible in 4 ms | 8 subscribed, 1 expired | "
                + "8 of 9 as the store has it")
    }

    @Test func aBadNetworkPutsTheComparisonFirst() {
        var summary = self.summary
        summary.isLossy = true

        #expect(
            summary.line
                == "2026-07-02 | 20 received | 8 of 9 as the store has it | 12 checks/s | visible in 4 ms | "
                + "8 subscribed, 1 expired | 8 lost, 6 repeated, 2 on the way")
        #expect(
            summary.sentences == [
                "Stopped at 2026-07-02: 20 notifications received, 12 checks answered.",
                "The network lost 8 of the attempts and repeated 6; 2 notifications are still on the way, 2 were lost "
                    + "every time and given up.",
                "8 of 9 answers of the last round were as the store has it.",
            ])
    }

    @Test func whoFollowsAlongIsCounted() {
        var summary = DemoSummary(now: self.summary.now)
        summary.followed = 20
        summary.posted = 19

        #expect(summary.line == "2026-07-02 | 0 received | subscriber heard 20 | webhook took 19")
        #expect(
            summary.sentences.last
                == "A subscriber followed 20 changes, and a webhook took 19 signed messages.")
    }

    @Test func whatIsNotKnownIsLeftOut() {
        let summary = DemoSummary(now: self.summary.now)

        #expect(summary.line == "2026-07-02 | 0 received")
        #expect(summary.sentences == ["Stopped at 2026-07-02: 0 notifications received, 0 checks answered."])
    }
}
