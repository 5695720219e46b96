/// Two ways to spend time, measured in turns: what slows the machine down for a while slows both.
struct Comparison {
    /// Of one call of the subject, and of the baseline: medians over all rounds.
    let subject: Duration
    let baseline: Duration
    /// How many times as fast as the baseline the subject is: the median of the rounds' ratios.
    let ratio: Double

    /// - Parameter calls: of each side in one round.
    init(
        rounds: Int = 31, calls: Int, subject: () async throws -> Void, baseline: () async throws -> Void
    ) async rethrows {
        var subjects: [Duration] = []
        var baselines: [Duration] = []
        for _ in 0..<rounds {
            subjects.append(try await Self.time(calls, subject))
            baselines.append(try await Self.time(calls, baseline))
        }
        self.subject = subjects.median() / calls
        self.baseline = baselines.median() / calls
        self.ratio = zip(subjects, baselines).map { $1 / $0 }.median()
    }

    private static func time(_ calls: Int, _ body: () async throws -> Void) async rethrows -> Duration {
        let start = ContinuousClock.now
        for _ in 0..<calls { try await body() }
        return .now - start
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
    /// Of something that takes this long.
    var perSecond: Double { 1 / self.seconds }
}

extension Array where Element: Comparable {
    /// - Precondition: not empty.
    func median() -> Element { self.sorted()[self.count / 2] }
}
