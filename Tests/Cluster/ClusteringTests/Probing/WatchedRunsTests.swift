import Clustering
import EventLog
import Testing

@Suite struct WatchedRunsTests {
    private let start = ContinuousClock.now
    private let run = ShardRecord.Owner(node: NodeID(rawValue: "a"), incarnation: Incarnation(rawValue: 1))

    @Test func whoHasLivedForTwoSecondsKnowsThisNode() {
        var watched = WatchedRuns()
        for milliseconds in [0, 1_000, 1_999] {
            let now = self.start + .milliseconds(milliseconds)
            watched.update(to: [self.run], at: now)
            #expect(watched.contains(self.run))
            #expect(watched.acquainted(at: now).isEmpty)
        }
        #expect(watched.acquainted(at: self.start + .seconds(2)) == [self.run])
    }

    @Test func whoHasNotLivedMeanwhileBeginsAnew() {
        var watched = WatchedRuns()
        watched.update(to: [self.run], at: self.start)
        // when
        watched.update(to: [], at: self.start + .seconds(2))
        // then
        #expect(!watched.contains(self.run))
        watched.update(to: [self.run], at: self.start + .seconds(3))
        #expect(watched.acquainted(at: self.start + .seconds(4)).isEmpty)
        #expect(watched.acquainted(at: self.start + .seconds(5)) == [self.run])
    }
}
