import Foundation

/// The figures as people read them: line by line, each as soon as there is something to show in it.
package enum FigureTable {
    /// As wide as figures are. A longer name moves the rest of its line.
    private static let widths = [64, 15, 10, 7, 12, 7]

    package static let head = Self.line(["figure", "value", "baseline", "ratio", "goal", ""])

    package static func line(of figure: Figure) -> String { Self.line(Self.cells(figure)) }

    private static func line(_ cells: [String]) -> String {
        zip(cells, Self.widths).enumerated().map { column, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return column == 0 ? cell.0 + space : space + cell.0
        }.joined(separator: "  ")
    }

    private static func cells(_ figure: Figure) -> [String] {
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
