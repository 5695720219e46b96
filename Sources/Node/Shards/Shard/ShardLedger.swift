import DequeModule
import EventLog
import ServiceContract
import Subscriptions

/// What a shard believes, and what it has decided on top of that while commits are under way. It does no I/O.
struct ShardLedger: Sendable {
    /// Of the newest event that is decided.
    private(set) var head = LogSequence.zero
    /// Of the newest event that is durable.
    private(set) var settledHead = LogSequence.zero
    /// The newest recorded time: it never goes back.
    private(set) var lastRecordedAt = Moment(milliseconds: 0)
    /// Raised whenever what was decided is discarded: a batch that was loaded under an older one is loaded anew.
    private(set) var lineage = 0

    private var settled: StateCache
    private var commits: Deque<Commit> = []

    init(stateLimit: Int) { self.settled = StateCache(limit: stateLimit) }

    // MARK: Asking

    /// The newest decided state, if it is in memory.
    mutating func entry(of key: [UInt8]) -> StreamEntry? {
        for commit in self.commits.reversed() {
            if let change = commit.changes[key] { return change.after }
        }
        return self.settled.entry(of: key)
    }

    /// What came under this dedup key and waits for its commit.
    func delivery(of dedupKey: [UInt8]) -> Delivery? {
        for commit in self.commits {
            if let delivery = commit.deliveries[dedupKey] { return delivery }
        }
        return nil
    }

    // MARK: Deciding

    /// - Precondition: `commit` was decided on the states that `entry(of:)` gives.
    mutating func add(_ commit: Commit) {
        self.head = commit.head
        self.lastRecordedAt = commit.at
        self.commits.append(commit)
    }

    /// `command` repeats one that waits for its commit, and is answered with it.
    mutating func join(_ command: Command, to dedupKey: [UInt8], outcome: SubmissionOutcome) {
        guard let index = self.commits.firstIndex(where: { $0.deliveries[dedupKey] != nil }) else {
            preconditionFailure("only a delivery in flight can be joined")
        }
        self.commits[index].joined.append(Commit.Decided(command: command, outcome: outcome))
    }

    /// A commit that changes the stream is under way.
    func isChanging(_ key: [UInt8]) -> Bool { self.commits.contains { $0.changes[key] != nil } }

    /// `decided` rests on the newest change of its stream, and is answered with that.
    mutating func joinStream(_ decided: Commit.Decided) {
        let key = decided.command.keyBytes
        guard let index = self.commits.lastIndex(where: { $0.changes[key] != nil }) else {
            preconditionFailure("only a change in flight can be joined")
        }
        self.commits[index].joined.append(decided)
    }

    // MARK: Settling

    /// The oldest commit is durable: believe it.
    mutating func settle() -> Commit {
        let commit = self.commits.removeFirst()
        self.settledHead = commit.head
        for (key, change) in commit.changes { self.settled.keep(change.after, of: key) }
        return commit
    }

    /// Nothing of what is in flight is durable, or nobody knows: forget it, and what was loaded.
    /// - Returns: the commits, oldest first.
    mutating func discard() -> [Commit] {
        defer { self.commits = [] }
        self.lineage += 1
        self.head = self.settledHead
        self.settled.removeAll()
        return Array(self.commits)
    }

    /// Starts from what the store says.
    mutating func own(_ ownership: ShardOwnership) {
        self.head = ownership.head
        self.settledHead = ownership.head
        self.lastRecordedAt = max(self.lastRecordedAt, Moment(milliseconds: ownership.lastRecordedAt))
    }
}
