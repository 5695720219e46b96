import EventSourcing

/// What clients were told, held against what there is.
final class History {
    private(set) var violations: [String] = []
    private var lastOperation = 0
    private var shards: [Operation: ShardID] = [:]
    private var acknowledged: Set<Operation> = []
    /// By shard: what every later answer of an owner has to show.
    private var floors: [Int]
    private var tokens: [Token?]
    /// Raised whenever it is not known any more what answers have to show.
    private var lapses = 0
    /// The database has lost commits, and with them what answers showed; its owners may not have noticed yet.
    private(set) var isBlind = false

    init(shardCount: Int) {
        self.floors = Array(repeating: 0, count: shardCount)
        self.tokens = Array(repeating: nil, count: shardCount)
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

    func acknowledge(_ operation: Operation) { self.acknowledged.insert(operation) }

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

    func token(of shard: ShardID) -> Token? { self.tokens[Int(shard.rawValue)] }

    private func raise(_ shard: ShardID, to length: Int) {
        guard !self.isBlind else { return }
        self.floors[Int(shard.rawValue)] = max(self.floors[Int(shard.rawValue)], length)
    }

    /// - Parameter floor: when the question was asked.
    func read(_ shard: ShardID, _ token: Token, floor: Floor) {
        self.tokens[Int(shard.rawValue)] = token
        guard floor.lapses == self.lapses else { return }
        if token.length < floor.length {
            self.violate(
                """
                an owner answered with \(token.length) events of shard \(shard.rawValue) after \(floor.length) had been \
                seen
                """)
        }
        self.raise(shard, to: token.length)
    }

    func read(_ token: Token, atLeast floor: Token) {
        if token.length < floor.length { self.violate("an answer is older than its token") }
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
        for operation in self.acknowledged.sorted() where counts[operation] == nil && !store.lost.contains(operation) {
            self.violate("command \(operation) was acknowledged, and is lost")
        }
        let kept = store.inbox.rows.count
        if kept > 0 { self.violate("\(kept) commands are in the inbox still") }
    }
}
