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
                == "2026-07-02 | 8 subscribed, 1 expired | 20 received | 12 checks/s | visible in 4 ms | "
                + "8 of 9 as the store has it")
    }

    @Test func aBadNetworkPutsTheComparisonFirst() {
        var summary = self.summary
        summary.isLossy = true
        summary.agreement.onTheWay = 1

        #expect(
            summary.line
                == "2026-07-02 | 8 subscribed, 1 expired | 8 of 9 as the store has it | "
                + "8 lost, 6 repeated, 2 on the way | 20 received | 12 checks/s | visible in 4 ms")
        #expect(
            summary.sentences == [
                "Stopped at 2026-07-02: 20 notifications received, 12 checks answered.",
                "The network lost 8 of the attempts and repeated 6; 2 notifications are still on the way, 2 were lost "
                    + "every time and given up.",
                "8 of 9 answers of the last round were as the store has it.",
                "The other 1 lacked a notification that is still on the way. Whatever had arrived was answered right.",
            ])
    }

    @Test func `customers come before what was sold`() {
        var summary = self.summary
        summary.customers.equal = 735
        #expect(summary.sentences[1] == "735 of 735 customers may use what they should by the last round.")

        summary.customers.untold = 2
        summary.customers.unexplained = ["u-7"]
        #expect(
            summary.sentences[1]
                == "735 of 738 customers may use what they should by the last round; about 2 not all has arrived; "
                + "1 differs though all has: see customer show u-7.")
    }

    @Test func `an answer that differs for no reason is named`() {
        var agreement = DemoSummary.Agreement()
        (agreement.equal, agreement.all, agreement.onTheWay, agreement.givenUp) = (368, 381, 10, 2)
        agreement.unexplained = ["2000000000000042"]
        var summary = self.summary
        summary.agreement = agreement

        #expect(
            summary.sentences.suffix(3) == [
                "368 of 381 answers of the last round were as the store has it.",
                "Of the other 13, 10 lacked a notification that is still on the way, and 2 lacked a notification that "
                    + "was given up and that Apple's history brings.",
                "1 differs though all has arrived: see subscription explain 2000000000000042.",
            ])
    }

    @Test(arguments: [
        (
            60,
            [
                "2026-07-02 | 1230 subscribed, 20 grace, 13 retry",
                "350 expired | 368 of 381 as the store has it | 8 lost",
            ]
        ),
        (
            80,
            [
                "2026-07-02 | 1230 subscribed, 20 grace, 13 retry, 350 expired",
                "368 of 381 as the store has it | 8 lost, 6 repeated, 2 on the way | 694 received",
            ]
        ),
        (
            140,
            [
                "2026-07-02 | 1230 subscribed, 20 grace, 13 retry, 350 expired | 368 of 381 as the store has it | "
                    + "8 lost, 6 repeated, 2 on the way",
                "694 received | 12 checks/s | visible in 4 ms | subscriber heard 694",
            ]
        ),
    ])
    func `whole fields stand on two lines of a terminal`(width: Int, lines: [String]) {
        var summary = self.summary
        summary.isLossy = true
        summary.totals.received = 694
        summary.states = ["subscribed": 1230, "grace": 20, "retry": 13, "expired": 350]
        (summary.agreement.equal, summary.agreement.all) = (368, 381)
        summary.followed = 694

        #expect(summary.line.fields(width: width) == lines)
        for width in 1...200 {
            #expect(summary.line.fields(width: width).allSatisfy { $0.count <= width })
        }
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
