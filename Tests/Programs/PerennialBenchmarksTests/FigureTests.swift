import PerennialBenchmarks
import Testing

@Suite struct FigureTests {
    @Test func aRatioIsOfTheBaseline() {
        let figure = Figure("x", 90, "1/s", baseline: 100, goal: .ratioAtLeast(0.85))
        #expect(figure.ratio == 0.9)
        #expect(figure.isReached == true)
    }

    @Test(arguments: [
        (Figure.Goal.ratioAtLeast(0.95), false), (.valueAtLeast(90), true), (.valueAtLeast(90.5), false),
        (.valueAtMost(90), true), (.valueAtMost(89), false),
    ])
    func aGoalIsReachedOrMissed(goal: Figure.Goal, isReached: Bool) {
        #expect(Figure("x", 90, "1/s", baseline: 100, goal: goal).isReached == isReached)
    }

    @Test func aRatioWithoutABaselineMissesItsGoal() {
        #expect(Figure("x", 90, "1/s", goal: .ratioAtLeast(0.1)).isReached == false)
    }

    @Test func theTableShowsWhatWasMissed() {
        let figures = [
            Figure("fast", 123_456, "1/s", baseline: 130_000, goal: .ratioAtLeast(0.9)),
            Figure("slow", 1, "ms", goal: .valueAtMost(0.5)), Figure("told", 2, "x"),
        ]
        let lines = [FigureTable.head] + figures.map(FigureTable.line)
        #expect(lines[1].contains("123456 1/s") && lines[1].contains("reached"))
        #expect(lines[2].hasSuffix("MISSED"))
        #expect(Set(lines.map(\.count)).count == 1)
    }
}
