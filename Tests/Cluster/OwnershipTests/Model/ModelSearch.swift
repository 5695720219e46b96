import EventLog
import Ownership

/// How much there is of everything, and which rules hold.
struct ModelRules: Sendable {
    var guards = ModelGuards()
    /// Ticks of the first clock.
    var horizon: Int8 = 3
    /// By so many ticks clocks may run apart.
    let drift: Int8 = 1
    /// Of a run.
    var mostBeats = Pair { _ in Int8(1) }
    var mostEvents = LogSequence(rawValue: 1)
    var mostRuns = Pair { _ in Int8(1) }

    /// The second node takes over from the first, and everything may take its time.
    static let takeover = ModelRules()

    /// The same, and nothing is written.
    static let quietTakeover = ModelRules(mostEvents: .zero)

    /// The first comes back as another run, and both want the shard.
    static let comeback = ModelRules(
        horizon: 2, mostBeats: Pair { $0 == .first ? 0 : 1 }, mostEvents: .zero, mostRuns: Pair { $0 == .first ? 2 : 1 }
    )

    /// In ticks of a second.
    var terms: LeaseTerms {
        var terms = LeaseTerms(length: .seconds(2))
        terms.reads = self.guards.leaseAllowsForDrift ? .seconds(1) : terms.length
        return terms
    }
}

/// Visits every state that can be reached, those of the fewest ticks first.
struct ModelSearch {
    struct CounterExample: CustomStringConvertible {
        var violation: ModelState.Violation
        var steps: [ModelStep]

        var description: String {
            ([self.violation.rawValue] + self.steps.map { "  \($0)" }).joined(separator: "\n")
        }
    }

    /// How a state was reached.
    private final class Path {
        let step: ModelStep
        let before: Path?

        init(_ step: ModelStep, after before: Path?) {
            self.step = step
            self.before = before
        }
    }

    /// Of those whose every step has been taken.
    private(set) var stateCount = 0
    private(set) var counterExample: CounterExample?

    /// Time never goes back, so the states of one moment are forgotten with the next.
    init(_ rules: ModelRules) {
        var moment = Moment()
        moment.add(ModelState(rules), reachedBy: nil)
        while !moment.states.isEmpty, self.counterExample == nil {
            moment = self.search(&moment, rules)
        }
    }

    /// States between two ticks, each once, in the order in which they were found.
    private struct Moment {
        private(set) var states: [(state: ModelState, path: Path?)] = []
        private var known: Set<ModelState> = []

        mutating func add(_ state: ModelState, reachedBy path: @autoclosure () -> Path?) {
            if self.known.insert(state).inserted { self.states.append((state, path())) }
        }
    }

    /// - Returns: the states in which a clock has just ticked.
    private mutating func search(_ moment: inout Moment, _ rules: ModelRules) -> Moment {
        var later = Moment()
        var visited = 0
        while visited < moment.states.count {
            let (state, path) = moment.states[visited]
            visited += 1
            for step in ModelStep.all {
                guard let next = state.after(step, rules) else { continue }
                if let violation = next.violation {
                    self.counterExample = Self.counterExample(violation, Path(step, after: path))
                    return Moment()
                }
                if step.action == .clockTicks {
                    later.add(next, reachedBy: Path(step, after: path))
                } else {
                    moment.add(next, reachedBy: Path(step, after: path))
                }
            }
        }
        self.stateCount += visited
        return later
    }

    private static func counterExample(_ violation: ModelState.Violation, _ last: Path) -> CounterExample {
        let steps = sequence(first: last, next: \.before).map(\.step)
        return CounterExample(violation: violation, steps: steps.reversed())
    }
}
