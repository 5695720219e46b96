import HeapModule
package import Subscriptions

/// Which subscriptions Apple has to be asked about, and when. Decides; asks nobody.
package struct AskSchedule: ~Copyable {
    package struct Question: Hashable, Sendable {
        package var key: StreamKey
        package var reason: AskReason
        /// When the doubt arose.
        package var since: Moment
        /// How often it has been asked.
        package var attempts = 0
    }

    private struct Turn: Comparable {
        var due: Moment
        var number: UInt64
        var key: StreamKey

        static func == (left: Turn, right: Turn) -> Bool { left.number == right.number }

        static func < (left: Turn, right: Turn) -> Bool { (left.due, left.number) < (right.due, right.number) }
    }

    private struct Entry {
        var question: Question
        /// The turn that counts; nil while it is being asked.
        var turn: UInt64?
        var due: Moment
    }

    private var entries: [StreamKey: Entry] = [:]
    private var turns = Heap<Turn>()
    private var lastTurn: UInt64 = 0
    private let limit: Int

    /// - Parameter limit: how many subscriptions at most; what is beyond it is found again by the next look at the store.
    package init(limit: Int) { self.limit = limit }

    /// Those being asked about among them.
    package var count: Int { self.entries.count }

    /// At or before the next question; turns that count no more are among those looked at.
    package var nextDue: Moment? { self.turns.min?.due }

    /// A doubt has arisen. One that is known already is asked about at the earlier of both moments, and for the reason that
    /// takes the longer answer: what was seen for the first time has a past to learn.
    package mutating func raise(_ key: StreamKey, _ reason: AskReason, since: Moment, due: Moment) {
        if reason == .firstSeen { self.entries[key]?.question.reason = reason }
        if let entry = self.entries[key] {
            guard entry.turn != nil, due < entry.due else { return }
            return self.plan(entry.question, at: due)
        }
        guard self.entries.count < self.limit else { return }
        self.plan(Question(key: key, reason: reason, since: since), at: due)
    }

    /// The next question that is due; it has to come back by `settle` or `postpone`.
    package mutating func next(at now: Moment) -> Question? {
        while let turn = self.turns.min, turn.due <= now {
            self.turns.removeMin()
            guard var entry = self.entries[turn.key], entry.turn == turn.number else { continue }
            entry.turn = nil
            entry.question.attempts += 1
            self.entries[turn.key] = entry
            return entry.question
        }
        return nil
    }

    /// The doubt is over, or another node's; unless a reason came meanwhile that the answer does not satisfy.
    package mutating func settle(_ question: Question) {
        guard let entry = self.entries[question.key], entry.question.reason != question.reason else {
            self.entries[question.key] = nil
            return
        }
        self.plan(entry.question, at: entry.due)
    }

    /// It was asked, and the doubt goes on.
    package mutating func postpone(_ question: Question, to due: Moment) {
        var question = question
        if let entry = self.entries[question.key] { question.reason = entry.question.reason }
        self.plan(question, at: due)
    }

    private mutating func plan(_ question: Question, at due: Moment) {
        self.lastTurn += 1
        self.entries[question.key] = Entry(question: question, turn: self.lastTurn, due: due)
        self.turns.insert(Turn(due: due, number: self.lastTurn, key: question.key))
    }
}
