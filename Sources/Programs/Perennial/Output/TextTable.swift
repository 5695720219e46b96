/// Rows under headings, each column as wide as its widest cell.
package struct TextTable {
    private var rows: [[String]]

    package init(_ headings: [String] = []) { self.rows = headings.isEmpty ? [] : [headings] }

    package mutating func add(_ cells: [String]) { self.rows.append(cells.map(\.escapingControls)) }

    package var lines: [String] {
        let widths = (0..<(self.rows.map(\.count).max() ?? 0)).map { column in
            self.rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return self.rows.map { row in
            var line = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
                .joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
