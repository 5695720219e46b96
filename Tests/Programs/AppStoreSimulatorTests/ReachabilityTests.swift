import AppStoreSimulator
import Testing

@Suite struct ReachabilityTests {
    private let start = ContinuousClock.now

    @Test func probesAtGrowingDistancesWhileNobodyListens() {
        // given attempts that were under way together and found nobody
        var reachability = Reachability()
        for _ in 0..<5 { reachability.note(.noResponse, at: self.start) }

        // then nothing is sent for a while, and one probe after it
        #expect(!reachability.isReachable)
        #expect(reachability.allowance(of: 32, at: self.start + .milliseconds(99)) == 0)
        #expect(reachability.allowance(of: 32, at: self.start + .milliseconds(100)) == 1)

        // and longer after a probe that failed
        reachability.note(.noResponse, at: self.start + .milliseconds(100))
        #expect(reachability.allowance(of: 32, at: self.start + .milliseconds(299)) == 0)
        #expect(reachability.allowance(of: 32, at: self.start + .milliseconds(300)) == 1)
    }

    @Test(arguments: [SendAttempt.Result.success, .unsuccessfulCode, .timedOut])
    func anyAnswerOpensTheWay(result: SendAttempt.Result) {
        var reachability = Reachability()
        reachability.note(.noResponse, at: self.start)
        reachability.note(result, at: self.start + .seconds(1))
        #expect(reachability.isReachable)
        #expect(reachability.allowance(of: 32, at: self.start + .seconds(1)) == 32)
    }
}
