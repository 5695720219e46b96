/// Two loads, measured in turns: what slows the machine down for a while slows both.
struct LoadComparison {
    /// Requests in a second: medians over all rounds.
    let subject: Double
    let baseline: Double
    /// How many times the baseline's rate the subject's is: the median of the rounds' ratios.
    let ratio: Double

    init(
        rounds: Int, subject: (_ round: Int) async throws -> LoadResult,
        baseline: (_ round: Int) async throws -> LoadResult
    ) async throws {
        var subjects: [Double] = []
        var baselines: [Double] = []
        for round in 0..<rounds {
            subjects.append(try await subject(round).perSecond)
            baselines.append(try await baseline(round).perSecond)
        }
        self.subject = subjects.median()
        self.baseline = baselines.median()
        self.ratio = zip(subjects, baselines).map { $0 / $1 }.median()
    }
}
