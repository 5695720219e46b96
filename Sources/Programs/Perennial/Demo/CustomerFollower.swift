import Foundation

/// Asks the node again and again about some customers, and puts what has changed into lines.
struct CustomerFollower {
    private let customers: [FollowedCustomer]
    private let questions: DemoQuestions
    /// By customer.
    private var accesses: [String: CustomerAccess] = [:]
    /// By customer: of their first subscription.
    private var answers: [String: CustomerAnswer] = [:]
    /// By customer: how often their subscription was seen to give access.
    private var sightings: [String: Int] = [:]
    private var trouble: String?
    private var isFirstRound = true

    /// A device posts what was bought after the store has told it: so many rounds later that is news.
    private static let sightingsBeforeNews = 10

    init(customers: [FollowedCustomer], questions: DemoQuestions) {
        self.customers = customers
        self.questions = questions
    }

    /// For each customer about whom the node says something new; at first, for each it knows.
    mutating func lines() async -> [String] {
        let asked = try? await self.questions.check(customers: self.customers.map(\.id))
        var lines: [String] = []
        for (number, customer) in self.customers.enumerated() {
            if self.answers[customer.id]?.entitled == true { self.sightings[customer.id, default: 0] += 1 }
            let wasKnown = self.sightings[customer.id] ?? 0 >= Self.sightingsBeforeNews
            var access: CustomerAccess?
            if let asked, asked.results.indices.contains(number) { access = CustomerAccess(asked.results[number]) }
            if let line = await self.lineOfSubscription(of: customer, access) { lines.append(line) }
            guard let asked, let access else { continue }
            let previous = self.accesses.updateValue(access, forKey: customer.id)
            if let sentence = access.sentence(since: previous, wasKnown: wasKnown) {
                let state = access.kind == "grant" ? "granted" : ""
                lines.append(self.line(customer, at: asked.asOf ?? "", state, sentence))
            }
        }
        self.isFirstRound = false
        return lines
    }

    /// - Parameter access: by all that the customer has.
    private mutating func lineOfSubscription(of customer: FollowedCustomer, _ access: CustomerAccess?) async -> String?
    {
        let previous = self.answers[customer.id] ?? CustomerAnswer()
        guard
            let answer = try? await self.questions.answer(
                about: customer.originalTransactionID, since: self.isFirstRound ? nil : previous.version),
            !answer.saysTheSame(as: previous)
        else { return nil }
        self.answers[customer.id] = answer
        let beside = answer.entitled ? nil : access?.besideSubscription
        return answer.sentence(since: previous).map { sentence in
            self.line(
                customer, at: answer.asOf, answer.state ?? "",
                [sentence, beside].compactMap(\.self).joined(separator: "; "))
        }
    }

    /// What keeps the node from its work, when that has changed.
    mutating func healthLine() async throws -> String? {
        let trouble = try await self.questions.trouble()
        guard trouble != self.trouble else { return nil }
        self.trouble = trouble
        guard let trouble else { return "The node is well again." }
        return "The node has trouble: \(trouble.replacing(#/^notReady: /#, with: ""))"
    }

    private func line(_ customer: FollowedCustomer, at asOf: String, _ state: String, _ sentence: String) -> String {
        let width = self.customers.map(\.name.count).max() ?? 0
        let cells = [
            String(asOf.prefix(10)), customer.name.padding(toLength: width, withPad: " ", startingAt: 0),
            state.padding(toLength: 10, withPad: " ", startingAt: 0), sentence,
        ]
        return cells.joined(separator: "  ")
    }
}
