import Metrics

/// Counts what checks were answered, with no lock at all.
struct CheckMetrics: Sendable {
    private let entitled: [Consistency: Counter]
    private let notEntitled: [Consistency: Counter]
    private let unknown: [Consistency: Counter]
    private let refused: [Consistency: Counter]

    init() {
        func counters(_ result: String) -> [Consistency: Counter] {
            Dictionary(
                uniqueKeysWithValues: Consistency.allCases.map { consistency in
                    let dimensions = [("result", result), ("consistency", consistency.rawValue)]
                    return (consistency, Counter(label: "perennial_checks_total", dimensions: dimensions))
                })
        }
        self.entitled = counters("entitled")
        self.notEntitled = counters("notEntitled")
        self.unknown = counters("unknown")
        self.refused = counters("refused")
    }

    func record(_ results: [CheckResult], _ consistency: Consistency) {
        var counts = (entitled: 0, notEntitled: 0, unknown: 0, refused: 0)
        for result in results {
            switch result {
            case .refused: counts.refused += 1
            case .verdict(let verdict) where verdict.entitled: counts.entitled += 1
            case .verdict(let verdict) where verdict.state == nil: counts.unknown += 1
            case .verdict: counts.notEntitled += 1
            }
        }
        self.entitled[consistency]?.increment(by: counts.entitled)
        self.notEntitled[consistency]?.increment(by: counts.notEntitled)
        self.unknown[consistency]?.increment(by: counts.unknown)
        self.refused[consistency]?.increment(by: counts.refused)
    }
}
