/// How many customers a node answers about as the records of the simulation have it, and why it does not about others.
package struct CustomerAgreement: Hashable, Sendable {
    package var equal = 0
    /// What decides had not arrived.
    package var untold = 0
    /// Who is answered otherwise though all has arrived.
    package var unexplained: [String] = []

    package init() {}

    package var all: Int { self.equal + self.untold + self.unexplained.count }

    /// nil where nobody was asked about.
    package var sentence: String? {
        guard self.all > 0 else { return nil }
        var parts = ["\(self.equal) of \(self.all) customers may use what they should by the last round"]
        if self.untold > 0 { parts.append("about \(self.untold) not all has arrived") }
        if let first = self.unexplained.first {
            let count = self.unexplained.count
            parts.append("\(count) \(count == 1 ? "differs" : "differ") though all has: see customer show \(first)")
        }
        return parts.joined(separator: "; ") + "."
    }
}
