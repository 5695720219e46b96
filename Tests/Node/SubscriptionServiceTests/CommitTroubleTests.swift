import Shards
import Testing

@Suite struct CommitTroubleTests {
    private let start = ContinuousClock.now

    @Test("commits of unknown outcome are told once in an outage, and counted when it is over")
    func tellsUnknownOnce() {
        var trouble = CommitTrouble()
        // 256 shards find out one after the other, and commits of others succeed in between
        var told: [Int] = []
        for second in 0..<1_080 {
            if trouble.recordUnknown(at: self.start + .seconds(second)) { told.append(second) }
            trouble.recordSuccess()
            let end = trouble.end(at: self.start + .seconds(second))
            #expect(end == nil)
        }
        #expect(told == [0])
        let end = self.start + .seconds(1_079) + CommitTrouble.quietPeriod
        let summaries = [trouble.end(at: end), trouble.end(at: end)]
        #expect(summaries == [CommitTrouble.Summary(unknown: 1_080), nil])
        // and the next outage is news
        let isNews = trouble.recordUnknown(at: end)
        #expect(isNews)
    }

    @Test("commits that fail are told at first, and once a minute")
    func tellsFailuresOnceAMinute() {
        var trouble = CommitTrouble()
        let told = (0..<130).filter { trouble.recordFailure(at: self.start + .seconds($0)) }
        #expect(told == [0, 60, 120])
        let isNews = trouble.recordUnknown(at: self.start + .seconds(130))
        #expect(isNews)
        // Nothing has succeeded.
        let early = trouble.end(at: self.start + .seconds(500))
        #expect(early == nil)
        trouble.recordSuccess()
        let summary = trouble.end(at: self.start + .seconds(500))
        #expect(summary == CommitTrouble.Summary(failed: 130, unknown: 1))
    }

    @Test("the store fails from a failed commit on until the next success, or for a few seconds")
    func isFailing() {
        var trouble = CommitTrouble()
        #expect(!trouble.isFailing(at: self.start))
        _ = trouble.recordUnknown(at: self.start)
        #expect(!trouble.isFailing(at: self.start), "the shards are frozen, which says enough")
        _ = trouble.recordFailure(at: self.start)
        #expect(trouble.isFailing(at: self.start + .seconds(4)))
        #expect(!trouble.isFailing(at: self.start + CommitTrouble.quietPeriod))
        trouble.recordSuccess()
        #expect(!trouble.isFailing(at: self.start))
    }
}
