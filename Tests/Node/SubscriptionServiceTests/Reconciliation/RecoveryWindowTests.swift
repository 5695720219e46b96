import Reconciliation
import Subscriptions
import Testing

@Suite struct RecoveryWindowTests {
    private let start = Node.start

    @Test(arguments: [1, 3, 6, 7], [Milliseconds.minutes(1), .minutes(30), .hours(5), .days(180)])
    func splitsWithoutHoleOrOverlap(count: Int, length: Milliseconds) {
        // given
        let window = RecoveryWindow(start: self.start, end: self.start + length)
        // when
        let parts = window.split(into: count, shortest: .minutes(30))
        // then
        #expect(parts.first?.start == window.start)
        #expect(parts.last?.end == window.end)
        #expect(parts.count <= count)
        for (left, right) in zip(parts, parts.dropFirst()) { #expect(left.end == right.start) }
        if parts.count > 1 { #expect(parts.allSatisfy { $0.end >= $0.start + .minutes(30) }) }
    }

    @Test func nothingIsSplitIntoNothing() {
        #expect(RecoveryWindow(start: self.start, end: self.start).split(into: 4, shortest: .minutes(1)).isEmpty)
    }

    @Test func reachesNoFurtherThanApplesHistory() {
        let all = RecoveryWindow(start: .distantPast, end: .distantFuture)
        let production = all.clamped(to: .production, now: self.start)
        #expect(production == RecoveryWindow(start: self.start - .days(180) + .hours(1), end: self.start))
        #expect(all.clamped(to: .sandbox, now: self.start).start == self.start - .days(30) + .hours(1))
    }

    @Test func coverageIsReadAsItWasWritten() throws {
        let coverage = Coverage(until: self.start, failuresUntil: self.start - .minutes(5))
        #expect(Coverage(bytes: coverage.bytes) == coverage)
        #expect(Coverage(bytes: Array("soon".utf8)) == nil)
        #expect(Coverage(bytes: []) == nil)
    }
}
