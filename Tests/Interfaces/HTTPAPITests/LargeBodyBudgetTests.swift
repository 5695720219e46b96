import HTTPAPI
import Testing

@Suite struct LargeBodyBudgetTests {
    private let start = ContinuousClock.now
    private var budget = LargeBodyBudget(limit: 100)

    private func after(_ seconds: Int) -> ContinuousClock.Instant { self.start + .seconds(seconds) }

    @Test mutating func `the slowest gives way`() {
        let (slow, quick) = (self.budget.begin(at: self.after(0)), self.budget.begin(at: self.after(0)))
        _ = self.budget.take(40, for: slow, at: self.after(0))
        _ = self.budget.take(60, for: quick, at: self.after(0))
        let new = self.budget.begin(at: self.after(2))

        let answer = self.budget.take(30, for: new, at: self.after(2))

        #expect(answer.isTaken)
        #expect(answer.leaving == [slow])
        #expect(self.budget.taken == 90)
        // and gets nothing more
        #expect(!self.budget.take(1, for: slow, at: self.after(2)).isTaken)
        self.budget.end(slow)
        #expect(self.budget.taken == 90)
    }

    @Test mutating func `as many give way as are needed, and no more`() {
        let ids = (0..<10).map { _ in self.budget.begin(at: self.after(0)) }
        for id in ids { _ = self.budget.take(10, for: id, at: self.after(0)) }
        let new = self.budget.begin(at: self.after(5))

        let answer = self.budget.take(25, for: new, at: self.after(5))

        #expect(answer.isTaken)
        #expect(answer.leaving.count == 3)
    }

    @Test mutating func `what came a moment ago, or as a whole, stays`() {
        let (whole, fresh) = (self.budget.begin(at: self.after(0)), self.budget.begin(at: self.after(9)))
        _ = self.budget.take(50, for: whole, at: self.after(0))
        self.budget.complete(whole)
        _ = self.budget.take(50, for: fresh, at: self.after(9))
        let new = self.budget.begin(at: self.after(9))

        let answer = self.budget.take(1, for: new, at: self.after(9))

        #expect(!answer.isTaken)
        #expect(answer.leaving.isEmpty)
        // until there is room
        self.budget.end(whole)
        let later = self.budget.take(1, for: new, at: self.after(9))
        #expect(later.isTaken)
    }

    @Test mutating func `the slowest itself is refused`() {
        let (quick, slow) = (self.budget.begin(at: self.after(0)), self.budget.begin(at: self.after(0)))
        _ = self.budget.take(90, for: quick, at: self.after(0))
        _ = self.budget.take(10, for: slow, at: self.after(0))

        let answer = self.budget.take(1, for: slow, at: self.after(2))

        #expect(!answer.isTaken)
        #expect(answer.leaving.isEmpty)
    }
}
