import Testing
import Webhooks

/// How an endpoint that is not there is left in peace.
@Suite struct AbsenceBackoffTests {
    private let start = ContinuousClock.now
    private var rest: AbsenceBackoff

    init() { self.rest = AbsenceBackoff(at: self.start) }

    @Test mutating func itBeginsWithTheThirdAbsenceInARow() {
        for _ in 0..<2 { _ = self.rest.recordAbsence(at: self.start) }
        #expect(self.rest.width(at: self.start) == 64)
        self.rest.recordPresence()
        for _ in 0..<2 { _ = self.rest.recordAbsence(at: self.start) }
        #expect(!self.rest.hasBegun)

        _ = self.rest.recordAbsence(at: self.start)

        #expect(self.rest.hasBegun)
        #expect(self.rest.width(at: self.start + .milliseconds(999)) == 0)
        #expect(self.rest.width(at: self.start + .seconds(1)) == 1)
        self.rest.recordPresence()
        #expect(self.rest.width(at: self.start + .seconds(1)) == 64)
    }

    @Test mutating func itGrowsToAMinute() {
        var now = self.start
        var rests: [Int] = []
        var told: [Int] = []
        for attempt in 1...12 {
            if self.rest.recordAbsence(at: now) { told.append(attempt) }
            var seconds = 0
            while self.rest.width(at: now) == 0 {
                now += .seconds(1)
                seconds += 1
            }
            rests.append(seconds)
        }
        #expect(rests == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
        #expect(told == [6])
    }

    /// Those that were on their way when it went are one absence.
    @Test mutating func whatHadLeftBeforeSaysNothingNew() {
        for _ in 0..<64 { _ = self.rest.recordAbsence(at: self.start) }

        #expect(self.rest.width(at: self.start + .seconds(1)) == 1)
        #expect(!self.rest.isWorthTelling)
    }
}
