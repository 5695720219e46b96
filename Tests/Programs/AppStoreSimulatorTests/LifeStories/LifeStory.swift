import AppStoreSimulator
import Testing

/// A short life, and what the store says of it.
struct LifeStory: Sendable, CustomTestStringConvertible {
    let name: String
    /// Acts and pauses as in a scenario, from the start of 2024.
    let life: String
    let days: Int64
    let grace: String
    /// A list for each subscription and purchase: that of the customer, those of the family, then one-time purchases.
    /// In the order of signing: the name, and the status.
    let told: [[String]]
    /// What is not about a purchase.
    let others: [String]

    init(
        _ name: String, days: Int64, grace: String = "16d", _ life: String, _ told: [String]..., others: [String] = []
    ) {
        self.name = name
        self.life = life
        self.days = days
        self.grace = grace
        self.told = told
        self.others = others
    }

    var testDescription: String { self.name }

    func scenario() throws -> Scenario {
        let life = self.life.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
        return try Scenario(
            yaml: """
                grace: \(self.grace)
                people:
                  - name: \(self.name)
                    life:
                \(life)
                """, named: self.name)
    }
}
