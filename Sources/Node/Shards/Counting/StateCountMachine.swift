package import EventLog

/// How a shard's streams are counted once, page by page, while commits go on. By the time a page comes it may lack what a
/// commit has brought, and hold what one brings that is told of later: its newest event says which, because the commits of
/// a shard can be read in their order. Decides; moves no gauge.
package struct StateCountMachine<Label: Hashable & Sendable>: ~Copyable {
    /// Names one count.
    package struct Run: Hashable, Sendable { fileprivate let number: Int }

    /// What a commit does to one stream.
    package struct Change: Sendable {
        fileprivate let key: [UInt8]
        /// Of the stream's newest event.
        fileprivate let sequence: LogSequence
        fileprivate let before: Label?
        fileprivate let after: Label?

        package init(key: [UInt8], sequence: LogSequence, from before: Label?, to after: Label?) {
            self.key = key
            self.sequence = sequence
            self.before = before
            self.after = after
        }
    }

    private struct Page {
        /// nil: from the first key on.
        var after: [UInt8]?
        /// nil: to the last one.
        var last: [UInt8]?
        /// Of the events behind it.
        var newest: LogSequence

        func covers(_ key: [UInt8]) -> Bool {
            (self.after?.lexicographicallyPrecedes(key) ?? true)
                && !(self.last?.lexicographicallyPrecedes(key) ?? false)
        }

        func holds(_ change: Change) -> Bool { change.sequence <= self.newest && self.covers(change.key) }
    }

    private enum Progress {
        case notBegun, begun
        case upTo([UInt8])
        case done

        var last: [UInt8]? {
            switch self {
            case .upTo(let last): last
            case .notBegun, .begun, .done: nil
            }
        }

        func covers(_ key: [UInt8]) -> Bool {
            switch self {
            case .notBegun, .begun: false
            case .upTo(let last): !last.lexicographicallyPrecedes(key)
            case .done: true
            }
        }
    }

    private var progress = Progress.notBegun
    private var run = Run(number: 0)
    /// Those that may hold what has not been told of.
    private var ahead: [Page] = []
    /// Told of since the page under way was asked for, and not counted yet.
    private var waiting: [Change] = []
    /// What this shard has added to the gauges.
    private var tally: [Label: Int] = [:]

    package init() {}

    package var hasBegun: Bool {
        switch self.progress {
        case .notBegun: false
        case .begun, .upTo, .done: true
        }
    }

    /// - Returns: nil when the shard has been counted, or is being counted.
    package mutating func begin() -> Run? {
        guard !self.hasBegun else { return nil }
        self.progress = .begun
        return self.run
    }

    /// The page behind the last one has come. The next one is to be asked for after this.
    /// - Parameters:
    ///   - labels: of its streams.
    ///   - last: its last key; nil when it reaches to the end.
    ///   - newest: the newest event of its streams.
    /// - Returns: what it adds to the gauges; nil when this count is over.
    package mutating func add(
        _ labels: [Label], upTo last: [UInt8]?, newest: LogSequence, in run: Run
    ) -> [Label: Int]? {
        guard run == self.run else { return nil }
        let page = Page(after: self.progress.last, last: last, newest: newest)
        var deltas: [Label: Int] = [:]
        for label in labels { deltas[label, default: 0] += 1 }
        for change in self.waiting where page.covers(change.key) && !page.holds(change) {
            Self.apply(change, to: &deltas)
        }
        self.waiting = []
        self.ahead.append(page)
        self.progress = last.map(Progress.upTo) ?? .done
        return self.note(deltas)
    }

    /// A commit is durable; each in its turn.
    /// - Parameter head: the shard's last event before it.
    /// - Returns: what it adds to the gauges.
    package mutating func record(_ changes: [Change], after head: LogSequence) -> [Label: Int] {
        guard self.hasBegun else { return [:] }
        self.ahead.removeAll { $0.newest <= head }
        var deltas: [Label: Int] = [:]
        for change in changes where !self.ahead.contains(where: { $0.holds(change) }) {
            if self.progress.covers(change.key) {
                Self.apply(change, to: &deltas)
            } else {
                self.waiting.append(change)
            }
        }
        return self.note(deltas)
    }

    /// What was counted here is counted elsewhere, or anew. A count that is under way is over.
    /// - Returns: what that adds to the gauges.
    package mutating func forget() -> [Label: Int] {
        let deltas = self.tally.mapValues { -$0 }
        self.progress = .notBegun
        self.run = Run(number: self.run.number + 1)
        self.ahead = []
        self.waiting = []
        self.tally = [:]
        return deltas
    }

    /// The count cannot go on.
    /// - Returns: what that adds to the gauges.
    package mutating func abandon(_ run: Run) -> [Label: Int] { run == self.run ? self.forget() : [:] }

    private static func apply(_ change: Change, to deltas: inout [Label: Int]) {
        if let before = change.before { deltas[before, default: 0] -= 1 }
        if let after = change.after { deltas[after, default: 0] += 1 }
    }

    private mutating func note(_ deltas: [Label: Int]) -> [Label: Int] {
        let deltas = deltas.filter { $0.value != 0 }
        self.tally.merge(deltas, uniquingKeysWith: +)
        return deltas
    }
}
