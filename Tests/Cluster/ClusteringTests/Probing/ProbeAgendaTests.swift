import Clustering
import EventLog
import Testing

@Suite struct ProbeAgendaTests {
    private let start = ContinuousClock.now
    private let first = Self.run("first")
    private let second = Self.run("second")

    private static func run(_ name: String) -> ShardRecord.Owner {
        ShardRecord.Owner(node: NodeID(rawValue: name), incarnation: Incarnation(rawValue: 1))
    }

    private func instant(_ milliseconds: Int) -> ContinuousClock.Instant { self.start + .milliseconds(milliseconds) }

    /// The milliseconds at which the first is knocked at, from its loss to the end.
    private func knocks(refusing: Bool) -> [Int] {
        var agenda = ProbeAgenda()
        agenda.add(self.first, at: self.start)
        var knocks: [Int] = []
        var now = self.start
        while true {
            _ = agenda.expire(at: now)
            switch agenda.next(at: now) {
            case .knock(let run):
                #expect(run == self.first)
                knocks.append(Int((now - self.start) / .milliseconds(1)))
                agenda.note(run, isRefused: refusing, at: now)
            case .rest(let pause):
                #expect(pause > .zero && pause <= .milliseconds(250))
                now += pause
            case .end: return knocks
            }
        }
    }

    @Test func whoRefusesIsKnockedAtFourTimesASecondForAMinute() {
        #expect(self.knocks(refusing: true) == Array(stride(from: 0, to: 60_000, by: 250)))
    }

    @Test func whoDoesNotRefuseIsKnockedAtEverMoreSeldom() {
        let knocks = self.knocks(refusing: false)
        #expect(knocks.prefix(6) == [0, 250, 750, 1_750, 3_750, 5_750])
        #expect(knocks.last == 59_750)
    }

    @Test func whoRefusesDoesNotWaitForThoseWhoDoNot() {
        // given: the second has been due for longer
        var agenda = ProbeAgenda()
        for run in [self.first, self.second] { agenda.add(run, at: self.start) }
        agenda.note(self.second, isRefused: false, at: self.start)
        agenda.note(self.second, isRefused: false, at: self.start)
        agenda.note(self.first, isRefused: true, at: self.instant(500))
        // then
        #expect(agenda.next(at: self.instant(750)) == .knock(at: self.first))
        agenda.note(self.first, isRefused: true, at: self.instant(750))
        #expect(agenda.next(at: self.instant(750)) == .knock(at: self.second))
    }

    @Test func whoIsLostOnceMoreIsKnockedAtForAMinuteMore() {
        // given
        var agenda = ProbeAgenda()
        agenda.add(self.first, at: self.start)
        for _ in 0..<5 { agenda.note(self.first, isRefused: false, at: self.instant(30_000)) }
        // when
        agenda.add(self.first, at: self.instant(30_100))
        // then
        #expect(agenda.next(at: self.instant(30_350)) == .knock(at: self.first))
        #expect(agenda.expire(at: self.instant(60_000)).isEmpty)
        #expect(agenda.expire(at: self.instant(90_100)) == [self.first])
        #expect(agenda.next(at: self.instant(90_100)) == .end)
    }

    @Test func whoIsTakenOutIsNotKnockedAt() {
        var agenda = ProbeAgenda()
        agenda.add(self.first, at: self.start)
        agenda.remove(self.first)
        // what becomes of a knock that was under way
        agenda.note(self.first, isRefused: true, at: self.start)
        #expect(agenda.next(at: self.instant(1_000)) == .end)
    }
}
