/// How a comparison went, in numbers of answers.
package struct ComparisonTally: Hashable, Sendable {
    package var subscriptions = 0
    package var purchases = 0
    /// nil: what was sold is compared.
    package var customers: Int?
    package var equal = 0
    package var explained = 0
    package var unexplained = 0

    package init() {}

    package var answers: Int { self.equal + self.explained + self.unexplained }

    package mutating func add(answer differences: [Difference]) {
        if differences.isEmpty {
            self.equal += 1
        } else if differences.contains(where: { $0.reason == nil }) {
            self.unexplained += 1
        } else {
            self.explained += 1
        }
    }

    package var sentence: String {
        let compared =
            self.customers.map { Self.count($0, "customer") }
            ?? "\(Self.count(self.subscriptions, "subscription")) and \(Self.count(self.purchases, "purchase"))"
        return "\(compared), "
            + "\(Self.count(self.answers, "answer")) compared: \(self.equal) equal, \(self.explained) explained, "
            + "\(self.unexplained) unexplained"
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
