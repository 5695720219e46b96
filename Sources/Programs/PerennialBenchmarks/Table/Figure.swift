/// One line of the table: what was measured, what stands for the bare work in the same run, and what is asked of it.
package struct Figure: Codable, Hashable, Sendable {
    /// What the goal is about.
    package enum Goal: Codable, Hashable, Sendable {
        case ratioAtLeast(Double)
        case ratioAtMost(Double)
        case valueAtLeast(Double)
        case valueAtMost(Double)
    }

    package var name: String
    package var value: Double
    /// Of `value` and `baseline`, as "1/s", "ms" or "bytes".
    package var unit: String
    package var baseline: Double?
    /// `value` to `baseline`, or to whatever `name` says.
    package var ratio: Double?
    package var goal: Goal?

    package init(
        _ name: String, _ value: Double, _ unit: String, baseline: Double? = nil, ratio: Double? = nil,
        goal: Goal? = nil
    ) {
        self.name = name
        self.value = value
        self.unit = unit
        self.baseline = baseline
        self.ratio = ratio ?? baseline.map { value / $0 }
        self.goal = goal
    }

    /// nil where nothing is asked.
    package var isReached: Bool? {
        switch self.goal {
        case nil: nil
        case .ratioAtLeast(let bound): self.ratio.map { $0 >= bound } ?? false
        case .ratioAtMost(let bound): self.ratio.map { $0 <= bound } ?? false
        case .valueAtLeast(let bound): self.value >= bound
        case .valueAtMost(let bound): self.value <= bound
        }
    }
}
