import AppStoreSimulator
import Subscriptions
import Testing

@Suite struct DeterminismTests {
    @Test func generatorIsSplitMix64() {
        var random = SeededGenerator(seed: 0)
        #expect(random.next() == 0xE220_A839_7B1D_CDAF)
        #expect(random.next() == 0x6E78_9E6A_A1B9_65F4)
    }

    @Test func uuidsAreOfVersionFour() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<100 {
            let uuid = Array(random.uuid())
            #expect(uuid.count == 36)
            #expect(uuid[14] == "4" && "89ab".contains(uuid[19]))
        }
    }

    @Test func theSameSeedGivesTheSameBytes() throws {
        // given two stores with different keys
        let one = try LifecycleFactory(seed: 7, authority: .make(seed: 1))
        let other = try LifecycleFactory(seed: 7, authority: .make(seed: 2))

        // when the same customers live in both
        let told = try one.told(byCustomers: 20).map(\.1.unsigned)

        // then only the signatures differ
        #expect(told == (try other.told(byCustomers: 20).map(\.1.unsigned)))
    }

    /// Held against a number that was written down, so that another machine or compiler cannot differ unnoticed. People
    /// with a script count as the crowd does, and families and what is not about a purchase as well.
    @Test func theBytesAreThoseOfEveryMachine() throws {
        let authority = try CertificateAuthority.make(seed: 1)
        let factory = try LifecycleFactory(seed: 1, authority: authority)
        var told = try Scenario.default.people.enumerated().flatMap { number, person in
            try factory.notifications(of: person, number: number)
        }
        for index in 0..<50 { told += try factory.notifications(ofCustomer: index) }
        for story in LifeStory.all {
            let scenario = try story.scenario()
            let factory = try LifecycleFactory(
                seed: 1, scenario: scenario, duration: .days(story.days), authority: authority)
            for person in scenario.people { told += try factory.notifications(of: person, number: 0) }
        }
        let text = try told.map { try DecodedNotification($0).unsigned }.joined()
        let hash = text.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        #expect(hash == 15_543_215_753_637_247_779)
    }

    @Test func anotherSeedGivesOtherLives() throws {
        let one = try LifecycleFactory(seed: 1).told(byCustomers: 5).map(\.1.unsigned)
        #expect(one != (try LifecycleFactory(seed: 2).told(byCustomers: 5).map(\.1.unsigned)))
    }
}

@Suite struct AgendaTests {
    @Test func comesInOrderOfTimeThenOfEntry() {
        var random = SeededGenerator(seed: 5)
        var agenda = Agenda<Int>()
        var expected: [(Int64, Int)] = []
        for number in 0..<500 {
            let due = random.below(50)
            agenda.enter(number, due: Moment(milliseconds: due))
            expected.append((due, number))
        }
        var taken: [Int] = []
        while let (_, number) = agenda.next() { taken.append(number) }
        #expect(taken == expected.sorted { $0 < $1 }.map(\.1))
    }

    @Test func keepsWhatIsNotDueYet() {
        var agenda = Agenda<String>()
        agenda.enter("late", due: Moment(milliseconds: 10))
        #expect(agenda.next(dueBy: Moment(milliseconds: 9)) == nil)
        #expect(agenda.next(dueBy: Moment(milliseconds: 10))?.item == "late")
    }
}

@Suite struct CalendarPeriodTests {
    @Test(arguments: [
        ("2024-01-31", CalendarPeriod.months(1), "2024-02-29"), ("2023-01-31", .months(1), "2023-02-28"),
        ("2026-05-01", .months(1), "2026-06-01"), ("2026-12-15", .months(1), "2027-01-15"),
        ("2024-02-29", .years(1), "2025-02-28"), ("2026-11-21", .weeks(2), "2026-12-05"),
        ("1969-12-31", .months(2), "1970-02-28"), ("2026-03-30", .days(3), "2026-04-02"),
    ])
    func addsAsCalendarsDo(start: String, period: CalendarPeriod, end: String) throws {
        #expect(try Moment(day: start).after(period) == Moment(day: end))
    }

    @Test func writesISO8601() {
        #expect(
            [CalendarPeriod.days(3), .weeks(1), .months(6), .years(1)].map(\.iso8601) == ["P3D", "P1W", "P6M", "P1Y"])
    }
}
