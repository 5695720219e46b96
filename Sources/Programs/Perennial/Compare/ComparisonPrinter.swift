import StrictJSON

/// Prints differences as they are found: aligned lines, or one JSON object a line, and the tally at the end.
struct ComparisonPrinter {
    private let format: OutputFormat
    private let isByCustomer: Bool
    private var headed = false

    /// - Parameter isByCustomer: the ids are those of customers.
    init(_ format: OutputFormat, isByCustomer: Bool = false) {
        self.format = format
        self.isByCustomer = isByCustomer
    }

    mutating func print(_ difference: Difference) {
        switch self.format {
        case .json: Console.print(self.json(difference))
        case .table:
            self.progress("")
            if !self.headed {
                Console.print(
                    Self.line(self.isByCustomer ? "CUSTOMER" : "ID", "AT", "FIELD", "NODE", "STORE", "REASON"))
            }
            self.headed = true
            Console.print(
                Self.line(
                    difference.id.escapingControls, difference.at, difference.field,
                    (difference.node ?? "-").escapingControls, difference.store ?? "-",
                    difference.reason ?? Difference.unexplained))
        }
    }

    /// Only where somebody looks on.
    func progress(_ text: String) {
        if self.format == .table, Console.isTerminal { Console.keepBelow(text) }
    }

    func print(_ tally: ComparisonTally) {
        switch self.format {
        case .json: Console.print(Self.json(tally))
        case .table:
            self.progress("")
            Console.print(tally.sentence)
        }
    }

    private static func line(_ cells: String...) -> String {
        zip(cells, [18, 24, 22, 24, 24, 0]).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }.joined(separator: "  ")
    }

    private func json(_ difference: Difference) -> String {
        JSONWriter.text { json in
            json.member(self.isByCustomer ? "customerId" : "originalTransactionId", difference.id)
            json.member("at", difference.at)
            json.member("field", difference.field)
            json.member("node", difference.node)
            json.member("store", difference.store)
            json.member("explained", difference.reason != nil)
            json.member("reason", difference.reason)
        }
    }

    private static func json(_ tally: ComparisonTally) -> String {
        JSONWriter.text { json in
            if let customers = tally.customers {
                json.member("customers", Int64(customers))
            } else {
                json.member("subscriptions", Int64(tally.subscriptions))
                json.member("purchases", Int64(tally.purchases))
            }
            json.member("answers", Int64(tally.answers))
            json.member("equal", Int64(tally.equal))
            json.member("explained", Int64(tally.explained))
            json.member("unexplained", Int64(tally.unexplained))
        }
    }
}
