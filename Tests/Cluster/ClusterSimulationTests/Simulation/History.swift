import EventLog

/// What clients were told, held against what there is.
final class History {
    private(set) var violations: [String] = []
    private var lastOperation = 0
    private var shards: [Operation: ShardID] = [:]
    /// After how many rewinds the store last said that it has it.
    private var acknowledged: [Operation: Int] = [:]
    /// By shard: what every later answer of an owner has to show.
    private var floors: [Int]
    private var lastAnswers: [Answer?]
    /// Those that have shown most since the database last forgot anything.
    private var longestAnswers: [Answer]
    /// Raised whenever it is not known any more what answers have to show.
    private var lapses = 0
    /// The database has lost commits, and with them what answers showed; its owners may not have noticed yet.
    private(set) var isBlind = false

    init(shardCount: Int) {
        self.floors = Array(repeating: 0, count: shardCount)
        self.lastAnswers = Array(repeating: nil, count: shardCount)
        self.longestAnswers = Array(repeating: Answer(log: []), count: shardCount)
    }

    func violate(_ what: String) { self.violations.append(what) }

    // MARK: Operations

    func newOperation(on shard: ShardID) -> Operation {
        self.lastOperation += 1
        self.shards[self.lastOperation] = shard
        return self.lastOperation
    }

    func anyOperation(_ random: inout SeededRandom) -> (operation: Operation, shard: ShardID)? {
        guard self.lastOperation > 0 else { return nil }
        let operation = Int.random(in: max(1, self.lastOperation - 30)...self.lastOperation, using: &random)
        return self.shards[operation].map { (operation, $0) }
    }

    func acknowledge(_ operation: Operation, storedAfter rewinds: Int) {
        self.acknowledged[operation] = max(self.acknowledged[operation] ?? 0, rewinds)
    }

    func write(_ operation: Operation, isSeenIn shard: ShardID, _ log: [SimulatedStore.Entry]) {
        guard let place = log.firstIndex(where: { $0.operation == operation }) else { return }
        self.raise(shard, to: place + 1)
    }

    // MARK: Reads

    /// What an answer has to show.
    struct Floor {
        var length: Int
        fileprivate var lapses: Int
    }

    /// Of answers to what is asked now.
    func floor(of shard: ShardID) -> Floor {
        Floor(length: self.floors[Int(shard.rawValue)], lapses: self.lapses)
    }

    /// Its token is what a client has at hand.
    func lastAnswer(of shard: ShardID) -> Answer? { self.lastAnswers[Int(shard.rawValue)] }

    private func raise(_ shard: ShardID, to length: Int) {
        guard !self.isBlind else { return }
        self.floors[Int(shard.rawValue)] = max(self.floors[Int(shard.rawValue)], length)
    }

    /// - Parameter floor: when the question was asked.
    func read(_ shard: ShardID, _ answer: Answer, floor: Floor) {
        self.lastAnswers[Int(shard.rawValue)] = answer
        guard floor.lapses == self.lapses else { return }
        if answer.log.count < floor.length {
            self.violate(
                """
                an owner answered with \(answer.log.count) events of shard \(shard.rawValue) after \(floor.length) had been \
                seen
                """)
        }
        self.raise(shard, to: answer.log.count)
        self.compare(shard, answer)
    }

    private func compare(_ shard: ShardID, _ answer: Answer) {
        guard !self.isBlind else { return }
        let longest = self.longestAnswers[Int(shard.rawValue)]
        if !answer.agrees(with: longest) {
            self.violate("two answers show different events of shard \(shard.rawValue) in one place")
        }
        if answer.log.count > longest.log.count { self.longestAnswers[Int(shard.rawValue)] = answer }
    }

    /// - Parameter earlier: whose token came with the question. The token is no good for a log that has lost what it names.
    func read(_ answer: Answer, atLeast earlier: Answer) {
        if answer.log.count < earlier.log.count { self.violate("an answer is older than its token") }
        if !answer.agrees(with: earlier) { self.violate("an answer lacks what its token was given for") }
    }

    // MARK: Moves

    /// - Parameter asked: how many owners had been named when somebody wanted `target` to be one.
    func move(_ shard: ShardID, to target: NodeID, _ owners: [NodeID], since asked: Int) {
        guard self.lapses == 0, !owners.dropFirst(max(0, asked - 1)).contains(target) else { return }
        self.violate("shard \(shard.rawValue) is said to have moved to \(target.rawValue), which never owned it")
    }

    // MARK: Lost commits

    /// - Returns: for `believeAnswers(since:)`, once owners have had time to notice.
    func rewind() -> Int {
        self.lapses += 1
        self.isBlind = true
        self.floors = self.floors.map { _ in 0 }
        self.longestAnswers = self.longestAnswers.map { _ in Answer(log: []) }
        return self.lapses
    }

    func believeAnswers(since rewind: Int) {
        guard rewind == self.lapses else { return }
        self.lapses += 1
        self.isBlind = false
    }

    // MARK: The end

    func judge(_ store: SimulatedStore, nodes: [SimulatedNode]) {
        self.violations += store.violations
        var counts: [Operation: Int] = [:]
        for (shard, row) in store.shards.enumerated() {
            for entry in row.log { counts[entry.operation, default: 0] += 1 }
            for (earlier, later) in zip(row.log, row.log.dropFirst()) {
                if later.epoch < earlier.epoch { self.violate("an epoch of shard \(shard) went back") }
                if later.epoch == earlier.epoch, later.incarnation != earlier.incarnation {
                    self.violate("two runs wrote under one epoch of shard \(shard)")
                }
            }
            if !nodes.contains(where: { $0.serves(ShardID(rawValue: UInt16(shard)), as: row.owner) }) {
                self.violate("nobody serves shard \(shard) in the end")
            }
        }
        for (operation, count) in counts where count > 1 {
            self.violate("command \(operation) is there \(count) times")
        }
        for (operation, rewinds) in self.acknowledged.sorted(by: { $0.key < $1.key }) where counts[operation] == nil {
            // The database may forget what was acknowledged, but nothing is acknowledged that it has forgotten.
            if let rewind = store.lost[operation], rewinds < rewind { continue }
            self.violate("command \(operation) was acknowledged, and is lost")
        }
        let kept = store.inbox.rows.count
        if kept > 0 { self.violate("\(kept) commands are in the inbox still") }
    }
}
