package import Subscriptions

/// How a demo goes, as one line while it runs and as some sentences at its end.
package struct DemoSummary {
    package var now: Moment
    package var totals = DemoTotals()
    package var waiting = 0
    package var isLossy = false
    /// Subscriptions by state.
    package var states: [String: Int] = [:]
    package var agreement = Agreement()
    package var customers = CustomerAgreement()
    package var checksPerSecond: Int?
    package var freshness: Duration?
    /// Changes that a subscriber has followed.
    package var followed = 0
    /// Messages that a webhook has taken.
    package var posted = 0

    /// How many of the node's answers are as the store has it, and why others are not.
    package struct Agreement: Hashable, Sendable {
        package var equal = 0
        package var all = 0
        /// What decides had not arrived, and comes later.
        package var onTheWay = 0
        /// What decides was lost with every attempt.
        package var givenUp = 0
        /// What differs though all has arrived.
        package var unexplained: [String] = []

        package init() {}

        var sentences: [String] {
            let first = "\(self.equal) of \(self.all) answers of the last round were as the store has it."
            guard self.equal < self.all else { return [first] }
            let reasons = [
                (self.onTheWay, "lacked a notification that is still on the way"),
                (self.givenUp, "lacked a notification that was given up and that Apple's history brings"),
            ].filter { $0.0 > 0 }.map { "\($0) \($1)" }
            let others = self.all - self.equal
            let rest =
                reasons.count == 1 && self.unexplained.isEmpty
                ? "The other \(reasons[0])." : "Of the other \(others), \(reasons.joined(separator: ", and "))."
            guard let id = self.unexplained.first else {
                return [first, "\(rest) Whatever had arrived was answered right."]
            }
            let count = self.unexplained.count
            let doubt =
                "\(count) \(count == 1 ? "differs" : "differ") though all has arrived: see subscription explain \(id)."
            return [first] + (reasons.isEmpty ? [doubt] : [rest, doubt])
        }
    }

    package init(now: Moment) { self.now = now }

    package static let states = ["subscribed", "grace", "retry", "expired", "revoked"]

    /// Fields between bars and commas, the most telling first: terminals are narrow.
    package var line: String {
        let states = Self.states.compactMap { state in self.states[state].map { "\($0) \(state)" } }
        let agreement =
            self.agreement.all == 0 ? nil : "\(self.agreement.equal) of \(self.agreement.all) as the store has it"
        var parts = [self.date]
        if !states.isEmpty { parts.append(states.joined(separator: ", ")) }
        if self.isLossy {
            if let agreement { parts.append(agreement) }
            parts.append(
                "\(self.totals.lost) lost, \(self.totals.repeated) repeated, \(self.waiting) on the way")
        }
        parts.append("\(self.totals.received) received")
        if let checksPerSecond { parts.append("\(checksPerSecond) checks/s") }
        if let freshness { parts.append("visible in \(Int(freshness / .milliseconds(1))) ms") }
        if self.followed > 0 { parts.append("subscriber heard \(self.followed)") }
        if self.posted > 0 { parts.append("webhook took \(self.posted)") }
        if !self.isLossy, let agreement { parts.append(agreement) }
        return parts.joined(separator: " | ")
    }

    package var sentences: [String] {
        var sentences = [
            "Stopped at \(self.date): \(self.totals.received) notifications received, "
                + "\(self.totals.checks) checks answered."
        ]
        if self.isLossy {
            sentences.append(
                "The network lost \(self.totals.lost) of the attempts and repeated \(self.totals.repeated); "
                    + "\(self.waiting) notifications are still on the way, "
                    + "\(self.totals.givenUp) were lost every time and given up.")
        }
        if let sentence = self.customers.sentence { sentences.append(sentence) }
        if self.agreement.all > 0 { sentences += self.agreement.sentences }
        if self.followed > 0 || self.posted > 0 {
            sentences.append(
                "A subscriber followed \(self.followed) changes, and a webhook took \(self.posted) signed messages.")
        }
        return sentences
    }

    /// What the simulated clock shows.
    package var time: String { self.date + " " + self.now.rfc3339.dropFirst(11).prefix(8) }

    private var date: String { String(self.now.rfc3339.prefix(10)) }
}
