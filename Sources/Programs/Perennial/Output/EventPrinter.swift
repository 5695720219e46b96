/// Prints events page by page, as aligned lines or one JSON object a line.
struct EventPrinter {
    private let format: OutputFormat
    private var headed = false

    init(_ format: OutputFormat) { self.format = format }

    private struct Column {
        let heading: String
        let width: Int
        let cell: (JSONFragment) -> String?

        init(_ heading: String, _ width: Int, _ cell: @escaping (JSONFragment) -> String?) {
            self.heading = heading
            self.width = width
            self.cell = cell
        }

        init(_ heading: String, _ width: Int, field: String) { self.init(heading, width) { $0[field]?.plain } }
    }

    private let columns = [
        Column("AT", 24, field: "at"), Column("STREAM", 18) { $0["stream"]?["id"]?.plain },
        Column("VERSION", 7, field: "version"), Column("KIND", 22, field: "kind"),
        Column("SOURCE", 12, field: "source"),
        Column("NOTIFICATION", 24, field: "notificationType"), Column("SUBTYPE", 0, field: "subtype"),
    ]

    mutating func print(_ events: [JSONFragment]) {
        switch self.format {
        case .json:
            for event in events { Console.print(event.serialized) }
        case .table:
            if !self.headed, !events.isEmpty { Console.print(self.line { $0.heading }) }
            self.headed = self.headed || !events.isEmpty
            for event in events { Console.print(self.line { $0.cell(event) ?? "-" }) }
        }
    }

    private func line(_ cell: (Column) -> String) -> String {
        self.columns.map { column in
            let text = cell(column).escapingControls
            return text + String(repeating: " ", count: max(0, column.width - text.count))
        }.joined(separator: "  ")
    }
}
