import HeapModule
package import ServiceContract
package import Subscriptions

/// Which subscriptions Apple has to be asked about, and when. Decides; asks nobody.
package struct AskSchedule: ~Copyable {
    package struct Question: Hashable, Sendable {
        package var key: StreamKey
        /// In the order in which they came. One answer is for all of them.
        package var reasons: [AskReason]
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
        /// What came up while it is being asked.
        var next: Next?
    }

    private struct Next {
        var question: Question
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

    /// A doubt has arisen. A subscription that is to be asked about already is asked about once, for all reasons, at the
    /// earliest moment; one that is being asked about, once more if it is for another reason.
    package mutating func raise(_ key: StreamKey, _ reason: AskReason, since: Moment, due: Moment) {
        guard var entry = self.entries[key] else {
            guard self.entries.count < self.limit else { return }
            return self.plan(Question(key: key, reasons: [reason], since: since), at: due)
        }
        if entry.turn == nil {
            // For the same one it would be asked without end, where Apple's answer is what gives it.
            guard !entry.question.reasons.contains(reason) else { return }
            var next = entry.next ?? Next(question: Question(key: key, reasons: [], since: since), due: due)
            next.question.add(reason)
            next.due = min(next.due, due)
            entry.next = next
            self.entries[key] = entry
        } else {
            entry.question.add(reason)
            self.entries[key] = entry
            if due < entry.due { self.plan(entry.question, at: due) }
        }
    }

    /// A look at the store has come across a doubt. A subscription that is to be asked about already keeps its place: the
    /// next look would bring it forward again.
    package mutating func find(_ key: StreamKey, _ reason: AskReason, since: Moment, due: Moment) {
        guard let entry = self.entries[key] else { return self.raise(key, reason, since: since, due: due) }
        if entry.turn != nil { self.raise(key, reason, since: since, due: entry.due) }
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

    /// Nothing is doubtful any more, or it is another node's; what else came up meanwhile is not answered by that.
    package mutating func settle(_ question: Question) {
        guard var next = self.entries.removeValue(forKey: question.key)?.next else { return }
        next.question.reasons.removeAll(where: \.isDoubt)
        if !next.question.reasons.isEmpty { self.plan(next.question, at: next.due) }
    }

    /// It was asked, and the doubt goes on.
    package mutating func postpone(_ question: Question, to due: Moment) {
        guard let next = self.entries[question.key]?.next else { return self.plan(question, at: due) }
        var question = question
        for reason in next.question.reasons { question.add(reason) }
        self.plan(question, at: min(due, next.due))
    }

    private mutating func plan(_ question: Question, at due: Moment) {
        self.lastTurn += 1
        self.entries[question.key] = Entry(question: question, turn: self.lastTurn, due: due)
        self.turns.insert(Turn(due: due, number: self.lastTurn, key: question.key))
    }
}

extension AskSchedule.Question {
    fileprivate mutating func add(_ reason: AskReason) {
        if !self.reasons.contains(reason) { self.reasons.append(reason) }
    }
}
