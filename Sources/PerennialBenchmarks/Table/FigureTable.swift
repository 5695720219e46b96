import Foundation

/// The figures as people read them.
package struct FigureTable: CustomStringConvertible {
    private let figures: [Figure]

    package init(figures: [Figure]) { self.figures = figures }

    package var description: String {
        let rows = [["figure", "value", "baseline", "ratio", "goal", ""]] + self.figures.map(Self.row)
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private static func row(_ figure: Figure) -> [String] {
        [
            figure.name, "\(Self.text(figure.value)) \(figure.unit)", figure.baseline.map(Self.text) ?? "",
            figure.ratio.map { String(format: "%.3f", $0) } ?? "", Self.text(figure.goal),
            figure.isReached.map { $0 ? "reached" : "MISSED" } ?? "",
        ]
    }

    private static func text(_ goal: Figure.Goal?) -> String {
        switch goal {
        case nil: ""
        case .ratioAtLeast(let bound): String(format: "ratio ≥ %.2f", bound)
        case .ratioAtMost(let bound): String(format: "ratio ≤ %.2f", bound)
        case .valueAtLeast(let bound): "≥ \(Self.text(bound))"
        case .valueAtMost(let bound): "≤ \(Self.text(bound))"
        }
    }

    private static func text(_ value: Double) -> String {
        String(format: value >= 1_000 ? "%.0f" : value >= 10 ? "%.1f" : "%.3f", value)
    }
}
