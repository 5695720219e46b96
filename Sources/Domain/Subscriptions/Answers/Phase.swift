/// A stretch of time in which the answer stays the same if nothing more is heard.
package struct Phase: Hashable, Sendable {
    package var from: Moment
    package var snapshot: SubscriptionSnapshot

    package init(from: Moment, snapshot: SubscriptionSnapshot) {
        self.from = from
        self.snapshot = snapshot
    }
}

/// A change that comes by itself: what an owner's timer has to record.
package struct Transition: Hashable, Sendable {
    package var name: Change
    package var due: Moment

    package init(name: Change, due: Moment) {
        self.name = name
        self.due = due
    }
}

/// One step of the way from the facts to an answer.
package struct ExplanationStep: Hashable, Sendable {
    /// The rule's number on the catalog page StateMachine; 0 for the one that protects running access, and for
    /// purchases.
    package var rule: Int
    /// For people, in whole sentences.
    package var sentence: String
    /// The facts that decided it.
    package var facts: [FactReference]

    package init(rule: Int, sentence: String, facts: [FactReference] = []) {
        self.rule = rule
        self.sentence = sentence
        self.facts = facts
    }
}

/// Points at one kept fact.
package enum FactReference: Hashable, Sendable {
    case transaction(TransactionID, signedDate: Moment)
    case renewal(signedDate: Moment)
    case status(AppleStatus, asOf: Moment)
}
