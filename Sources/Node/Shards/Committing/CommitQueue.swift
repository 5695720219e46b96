import DequeModule
import Dispatch
import EventLog
import Synchronization

/// What waits for the committer: per shard in order, bounded in bytes over all shards.
final class CommitQueue: Sendable {
    struct Submission: Sendable {
        var batch: ShardBatch
        /// The shard's count of discards: what was decided before one must not be stored after it.
        var lineage: Int
        var bytes: Int
    }

    private struct State {
        var waiting: Deque<Submission> = []
        var bytes = 0
        /// By shard: submissions of these lineages and older ones are dropped.
        var discarded: [ShardID: Int] = [:]
        /// In a commit now.
        var busy: Set<ShardID> = []
        var sleepers = 0
        var isClosed = false
    }

    private let byteLimit: Int
    /// By shard number: what was decided under an epoch that has passed is dropped.
    private let statuses: [ShardStatus]
    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    init(byteLimit: Int, statuses: [ShardStatus]) {
        self.byteLimit = byteLimit
        self.statuses = statuses
    }

    /// false when the bound is reached or the committer is closed: nothing was taken.
    func submit(_ submission: Submission) -> Bool {
        let (isTaken, mustWake) = self.state.withLock { state in
            guard !state.isClosed, state.bytes == 0 || state.bytes + submission.bytes <= self.byteLimit else {
                return (false, false)
            }
            state.waiting.append(submission)
            state.bytes += submission.bytes
            return (true, Self.wakeOne(&state))
        }
        if mustWake { self.wakeUp.signal() }
        return isTaken
    }

    private static func wakeOne(_ state: inout State) -> Bool {
        guard state.sleepers > 0 else { return false }
        state.sleepers -= 1
        return true
    }

    /// Blocks until there is something to commit. One submission of each shard that is in no other commit, in the order
    /// in which they came; empty once the queue is closed and everything has been taken. `finish(_:)` has to follow.
    func next() -> [Submission] {
        while true {
            let (round, isAtEnd) = self.state.withLock { state in
                let round = self.round(from: &state)
                let isAtEnd = state.isClosed && state.waiting.isEmpty
                if round.isEmpty, !isAtEnd { state.sleepers += 1 }
                return (round, isAtEnd)
            }
            guard round.isEmpty, !isAtEnd else { return round }
            self.wakeUp.wait()
        }
    }

    /// The shards of `round` may be in another commit.
    func finish(_ round: [Submission]) {
        let woken = self.state.withLock { state in
            state.busy.subtract(round.map(\.batch.shard))
            // Whoever finishes takes what waits; sleepers only have to hear of the end.
            return state.isClosed ? Self.wakeAll(&state) : 0
        }
        for _ in 0..<woken { self.wakeUp.signal() }
    }

    private static func wakeAll(_ state: inout State) -> Int {
        defer { state.sleepers = 0 }
        return state.sleepers
    }

    private func round(from state: inout State) -> [Submission] {
        var round: [Submission] = []
        var rest: Deque<Submission> = []
        for submission in state.waiting {
            let shard = submission.batch.shard
            guard self.isCurrent(submission, in: state) else {
                state.bytes -= submission.bytes
                continue
            }
            guard state.busy.insert(shard).inserted else {
                rest.append(submission)
                continue
            }
            state.bytes -= submission.bytes
            round.append(submission)
        }
        state.waiting = rest
        return round
    }

    /// false for what its shard has discarded, or puts back because it had to be taken again.
    func isCurrent(_ submission: Submission) -> Bool {
        self.state.withLock { self.isCurrent(submission, in: $0) }
    }

    private func isCurrent(_ submission: Submission, in state: borrowing State) -> Bool {
        let shard = submission.batch.shard
        return submission.lineage > state.discarded[shard, default: -1]
            && self.statuses[Int(shard.rawValue)].mayCommit(under: submission.batch.epoch)
    }

    /// The shard discards what it decided under `lineage`, so it must not be stored.
    func discard(through lineage: Int, of shard: ShardID) {
        self.state.withLock { state in
            state.discarded[shard] = max(lineage, state.discarded[shard, default: -1])
        }
    }

    /// Drops what waits, too.
    func abandon() {
        self.state.withLock { state in
            state.waiting = []
            state.bytes = 0
        }
        self.close()
    }

    func close() {
        let woken = self.state.withLock { state in
            state.isClosed = true
            return Self.wakeAll(&state)
        }
        for _ in 0..<woken { self.wakeUp.signal() }
    }
}
