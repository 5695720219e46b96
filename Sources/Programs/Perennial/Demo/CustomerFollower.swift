import AppStoreSimulator
import Foundation

/// Asks the node again and again about some customers, and puts what has changed into lines.
struct CustomerFollower {
    private let customers: [NamedCustomer]
    private let questions: DemoQuestions
    private var answers: [String: CustomerAnswer] = [:]
    private var linked: Set<String> = []
    private var trouble: String?
    private var isFirstRound = true

    init(customers: [NamedCustomer], questions: DemoQuestions) {
        self.customers = customers
        self.questions = questions
    }

    /// One for each customer about whom the node says something new; at first, one for each it knows.
    mutating func lines() async -> [String] {
        var lines: [String] = []
        for customer in self.customers {
            let id = customer.originalTransactionID
            let previous = self.answers[id] ?? CustomerAnswer()
            // What cannot be linked now is tried again in the next round; an older store takes no links yet.
            if !self.linked.contains(id), !self.isFirstRound,
                (try? await self.questions.customer(of: id, knownAs: customer.userID)) != nil
            {
                self.linked.insert(id)
            }
            guard
                let answer = try? await self.questions.answer(
                    about: id, since: self.isFirstRound ? nil : previous.version),
                !answer.saysTheSame(as: previous)
            else { continue }
            self.answers[id] = answer
            if let sentence = answer.sentence(since: previous) {
                lines.append(self.line(customer.name, answer, sentence))
            }
        }
        self.isFirstRound = false
        return lines
    }

    /// What keeps the node from its work, when that has changed.
    mutating func healthLine() async throws -> String? {
        let trouble = try await self.questions.trouble()
        guard trouble != self.trouble else { return nil }
        self.trouble = trouble
        guard let trouble else { return "The node is well again." }
        return "The node has trouble: \(trouble.replacing(#/^notReady: /#, with: ""))"
    }

    private func line(_ name: String, _ answer: CustomerAnswer, _ sentence: String) -> String {
        let width = self.customers.map(\.name.count).max() ?? 0
        let cells = [
            String(answer.asOf.prefix(10)), name.padding(toLength: width, withPad: " ", startingAt: 0),
            (answer.state ?? "").padding(toLength: 10, withPad: " ", startingAt: 0), sentence,
        ]
        return cells.joined(separator: "  ")
    }
}
