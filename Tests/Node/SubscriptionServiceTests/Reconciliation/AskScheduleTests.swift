import Reconciliation
import ServiceContract
import Subscriptions
import Testing

@Suite struct AskScheduleTests {
    private let start = Node.start

    private func key(_ id: String) -> StreamKey {
        StreamKey(kind: .subscription, id: id, environment: .production, bundleID: TestAppStore.bundles[0])
    }

    @Test func asksInTheOrderOfTheirMoments() {
        // given
        var schedule = AskSchedule(limit: 10)
        schedule.raise(self.key("2"), .sweep, since: self.start, due: self.start + .seconds(2))
        schedule.raise(self.key("1"), .anomaly, since: self.start, due: self.start + .seconds(1))
        // then: nothing before its time
        #expect(schedule.next(at: self.start) == nil)
        #expect(schedule.nextDue == self.start + .seconds(1))
        #expect(schedule.next(at: self.start + .seconds(5))?.key.id == "1")
        #expect(schedule.next(at: self.start + .seconds(5))?.key.id == "2")
        #expect(schedule.next(at: self.start + .seconds(5)) == nil)
    }

    @Test func oneThatIsKnownIsAskedOnceAtTheEarlierMoment() {
        // given
        var schedule = AskSchedule(limit: 10)
        schedule.raise(self.key("1"), .awaitingRenewal, since: self.start, due: self.start + .minutes(5))
        // when
        schedule.raise(self.key("1"), .anomaly, since: self.start, due: self.start + .seconds(1))
        schedule.raise(self.key("1"), .sweep, since: self.start, due: self.start + .minutes(9))
        // then
        let question = schedule.next(at: self.start + .seconds(1))
        #expect(question?.reasons == [.awaitingRenewal, .anomaly, .sweep])
        #expect(schedule.next(at: self.start + .hours(1)) == nil)
    }

    @Test func whatIsFoundAgainKeepsItsPlace() throws {
        // given: one that has been asked about, and will be tomorrow
        var schedule = AskSchedule(limit: 10)
        schedule.raise(self.key("1"), .unheard, since: self.start, due: self.start)
        let first = schedule.next(at: self.start)
        schedule.postpone(try #require(first), to: self.start + .days(1))
        // when: the store is searched each hour
        for hour in 1...3 {
            let now = self.start + .hours(Int64(hour))
            schedule.find(self.key("1"), .unheard, since: now, due: now)
            schedule.find(self.key("2"), .unheard, since: now, due: now)
            // then: what nobody remembered is asked about
            let found = schedule.next(at: now)
            #expect(found?.key.id == "2")
            schedule.settle(try #require(found))
            #expect(schedule.next(at: now) == nil)
        }
        // and the other in its turn
        let second = schedule.next(at: self.start + .days(1))
        #expect(second?.key.id == "1")
        #expect(second?.attempts == 2)
        #expect(second?.since == self.start)
    }

    @Test func whatIsBeingAskedIsNotAskedAgainUntilItCameBack() throws {
        // given
        var schedule = AskSchedule(limit: 10)
        schedule.raise(self.key("1"), .incomplete, since: self.start, due: self.start)
        let first = schedule.next(at: self.start)
        let question = try #require(first)
        // when
        schedule.raise(self.key("1"), .anomaly, since: self.start, due: self.start)
        // then
        #expect(schedule.next(at: self.start + .hours(1)) == nil)
        #expect(schedule.count == 1)
        // when
        schedule.postpone(question, to: self.start + .minutes(1))
        // then
        #expect(schedule.next(at: self.start + .minutes(1))?.attempts == 2)
        schedule.settle(question)
        #expect(schedule.count == 0)
    }

    @Test func whatComesUpWhileOneIsAskedIsAskedAfterIt() throws {
        // given
        var schedule = AskSchedule(limit: 10)
        schedule.raise(self.key("1"), .awaitingRenewal, since: self.start, due: self.start)
        let first = schedule.next(at: self.start)
        // when
        let later = self.start + .seconds(1)
        schedule.raise(self.key("1"), .anomaly, since: later, due: later)
        schedule.settle(try #require(first))
        // then
        #expect(schedule.next(at: self.start) == nil)
        let second = schedule.next(at: later)
        #expect(second?.reasons == [.anomaly])
        #expect(second?.since == later)
        #expect(second?.attempts == 1)
        // and neither what it was asked for is a reason to ask again, nor a doubt that is over
        for reason in [AskReason.anomaly, .incomplete] {
            schedule.raise(self.key("1"), reason, since: later, due: later)
        }
        schedule.settle(try #require(second))
        #expect(schedule.count == 0)
    }

    @Test func whatGoesOnIsAskedForEveryReasonAtTheEarlierMoment() throws {
        // given
        var schedule = AskSchedule(limit: 10)
        schedule.raise(self.key("1"), .awaitingRenewal, since: self.start, due: self.start)
        let first = schedule.next(at: self.start)
        schedule.raise(self.key("1"), .anomaly, since: self.start, due: self.start + .seconds(1))
        // when
        schedule.postpone(try #require(first), to: self.start + .minutes(1))
        // then
        let second = schedule.next(at: self.start + .seconds(1))
        #expect(second?.reasons == [.awaitingRenewal, .anomaly])
        #expect(second?.attempts == 2)
    }

    @Test(arguments: [false, true]) func whatIsSeenForTheFirstTimeHasAPastToLearn(isBeingAsked: Bool) throws {
        // given: somebody else has noticed it first
        var schedule = AskSchedule(limit: 10)
        schedule.raise(self.key("1"), .incomplete, since: self.start, due: self.start)
        let asked = isBeingAsked ? schedule.next(at: self.start) : nil
        // when
        schedule.raise(self.key("1"), .firstSeen, since: self.start, due: self.start)
        if let asked { schedule.settle(asked) }
        // then
        let next = schedule.next(at: self.start)
        let question = try #require(next)
        #expect(question.reasons.contains(.firstSeen))
        schedule.settle(question)
        #expect(schedule.count == 0)
    }

    @Test func moreThanTheLimitIsNotKept() {
        // given
        var schedule = AskSchedule(limit: 2)
        // when
        for id in 1...5 { schedule.raise(self.key("\(id)"), .sweep, since: self.start, due: self.start) }
        // then
        #expect(schedule.count == 2)
    }

    @Test(arguments: [
        (passed: Milliseconds.seconds(0), next: Milliseconds.seconds(15)),
        (.seconds(15), .minutes(1)), (.seconds(59), .minutes(1)), (.minutes(1), .minutes(5)),
        (.minutes(5), .minutes(15)), (.minutes(15), .hours(1)), (.hours(1), .hours(2)), (.hours(23), .hours(24)),
        (.days(1), .days(2)), (.days(40), .days(41)),
    ])
    func asksSoonAtFirstAndSeldomLater(passed: Milliseconds, next: Milliseconds) {
        let now = self.start + passed
        #expect(AskTimes.next(since: self.start, after: now, chance: 0) == self.start + next)
        // Jitter only delays, by a tenth of what is left.
        let late = AskTimes.next(since: self.start, after: now, chance: 0.999)
        #expect(late >= self.start + next)
        #expect(late.milliseconds - now.milliseconds <= (next.rawValue - passed.rawValue) * 11 / 10)
    }
}
