import EventLog
import Foundation
import Logging
import Ownership
import Synchronization
import Waiting

/// Writes for all shards of a node, on as many threads of its own as the store takes appends at a time: while commits are
/// under way the next one gathers, across shards. Each shard is in one commit at a time, and hears what became of its
/// submissions in the order in which it made them.
final class GroupCommitter: Sendable {
    private let store: any EventStore
    private let node = Mutex<NodeRecord?>(nil)
    /// Those that this node owns.
    private let shards: [ShardID]
    private let queue: CommitQueue
    /// By shard number.
    private let statuses: [ShardStatus]
    private let metrics: RuntimeMetrics
    private let logger: Logger
    private let trouble = Mutex(CommitTrouble())

    private let taking = Mutex(())
    private let mustGiveUp = Mutex(false)
    /// Why nothing of this run can be believed any more.
    private let loss = Mutex<StoreError?>(nil)

    init(
        store: any EventStore, shards: [ShardID], byteLimit: Int, statuses: [ShardStatus],
        metrics: RuntimeMetrics, logger: Logger
    ) {
        self.store = store
        self.shards = shards
        self.queue = CommitQueue(byteLimit: byteLimit, statuses: statuses)
        self.statuses = statuses
        self.metrics = metrics
        self.logger = logger
    }

    /// false when too much waits already.
    func submit(_ batch: ShardBatch, lineage: Int, bytes: Int) -> Bool {
        self.queue.submit(CommitQueue.Submission(batch: batch, lineage: lineage, bytes: bytes))
    }

    /// Commits until `close()`, and returns when everything submitted is settled.
    /// - Parameter takesShards: first registers the node and claims its shards, from whomever.
    /// - Returns: why shards could not be taken, at the start or again after a commit of unknown outcome.
    func run(as node: NodeRecord, takesShards: Bool) async -> StoreError? {
        self.node.withLock { $0 = node }
        if takesShards, let failure = await self.onThread({ () throws(StoreError) in try self.take() }) {
            return failure
        }
        return await withTaskGroup { committers in
            for _ in 0..<max(1, self.store.appendConcurrency) {
                committers.addTask { await self.onThread { () throws(StoreError) in try self.commitUntilClosed() } }
            }
            return await committers.reduce(nil) { $0 ?? $1 }
        }
    }

    private func onThread(_ work: @escaping @Sendable () throws(StoreError) -> Void) async -> StoreError? {
        await DedicatedThread.failure(named: "committer") { () throws(StoreError) in
            do throws(StoreError) {
                try work()
            } catch {
                self.lose(error)
                throw error
            }
        }
    }

    /// The last commit failed, and that was not long ago.
    var isFailing: Bool {
        self.trouble.withLock { $0.isFailing(at: .now) }
    }

    /// Nothing is submitted after this.
    func close() { self.queue.close() }

    /// The node stops: a store that cannot be reached is not waited for.
    func stopWaiting() { self.mustGiveUp.withLock { $0 = true } }

    // MARK: On a thread

    private func take() throws(StoreError) {
        try self.store.register(self.record)
        _ = try self.own { () throws(StoreError) in
            try self.store.claim(ShardClaim(self.shards, for: self.owner))
        }
    }

    private func commitUntilClosed() throws(StoreError) {
        while true {
            let round = self.queue.next()
            guard !round.isEmpty else { return }
            defer { self.queue.finish(round) }
            try self.commit(round[...])
        }
    }

    /// Nothing of this run can be believed any more.
    func lose(_ error: StoreError) {
        // Nothing is wrong with who was taken for dead, and whoever runs the node says that it was.
        if error.code != .deposed {
            self.logger.critical(
                "The shards could not be taken", metadata: .runtime([.error: "\(error.code): \(error.message)"]))
        }
        self.loss.withLock { $0 = $0 ?? error }
        self.queue.abandon()
        self.stopWaiting()
        for shard in self.shards { self.status(of: shard).lose(error) }
    }

    private var record: NodeRecord {
        guard let node = self.node.withLock({ $0 }) else { preconditionFailure("a committer runs as a node") }
        return node
    }

    private var owner: ShardRecord.Owner {
        ShardRecord.Owner(node: self.record.id, incarnation: self.record.incarnation)
    }

    /// Owns what a statement of the store takes. Blocks.
    /// - Parameter exclusiveFrom: as `ShardNews.owned` has it.
    /// - Returns: what `take` does.
    /// - Throws: what `take` throws; `.rewound` when the store lacks what was confirmed: it has lost commits, as a standby may
    ///   have that took over before it had them.
    func own(
        exclusiveFrom: Duration? = nil, _ take: () throws(StoreError) -> [ShardOwnership]
    ) throws(StoreError) -> [ShardOwnership] {
        // Committers and the controller may take the same shard: its writer has to end with what the store said last.
        try self.taking.withLock { _ throws(StoreError) in
            let taken = try take()
            try self.own(taken, exclusiveFrom: exclusiveFrom)
            return taken
        }
    }

    private func own(_ ownerships: [ShardOwnership], exclusiveFrom: Duration?) throws(StoreError) {
        for ownership in ownerships {
            let news = ShardNews.owned(ownership, exclusiveFrom: exclusiveFrom)
            guard self.status(of: ownership.shard).handle(.stored(news)) != nil else {
                throw StoreError(
                    .rewound,
                    "the store has lost what it had confirmed of shard \(ownership.shard.rawValue): events, or who owns it"
                )
            }
        }
    }

    /// Takes shards again that the store says are this run's. Blocks.
    /// - Returns: those that are.
    func adopt(_ shards: [ShardID], exclusiveFrom: Duration? = nil) throws(StoreError) -> [ShardID] {
        try self.own(exclusiveFrom: exclusiveFrom) { () throws(StoreError) in
            try self.store.claim(ShardClaim(shards, for: self.owner, from: self.owner.incarnation))
        }.map(\.shard)
    }

    /// The store has shown that it may not have what this run knows of these shards under these epochs: then nothing of that
    /// is believed any more. Blocks, until they have been taken again, or let go.
    /// - Throws: when they cannot be taken again.
    func doubt(_ shards: [ShardID: Epoch]) throws(StoreError) {
        do throws(StoreError) {
            try self.takeAgain(shards)
        } catch {
            // They are frozen, and nobody will tell them otherwise.
            self.lose(error)
            throw error
        }
    }

    /// Nobody knows how these shards' logs end, or whether they are ours: they answer nothing until the store has said so,
    /// under a new epoch, which keeps out whatever is still on its way there.
    private func takeAgain(_ shards: [ShardID: Epoch]) throws(StoreError) {
        var frozen = self.freeze(shards)
        var pause = Self.firstPause
        while !frozen.isEmpty {
            do throws(StoreError) {
                let taken = Set(try self.adopt(frozen.keys.sorted()))
                for (shard, epoch) in frozen where !taken.contains(shard) {
                    self.metrics.recordFenced()
                    self.status(of: shard).handle(.stored(.released(under: epoch)))
                }
                self.trouble.withLock { $0.recordSuccess() }
                return
            } catch {
                guard [.unavailable, .full].contains(error.code) else { throw error }
                // Who gives up on a store that is away ends by what makes him give up.
                if self.mustGiveUp.withLock(\.self) { throw self.loss.withLock(\.self) ?? error }
                self.recordFailure("Shards cannot be taken again yet", error)
                Thread.sleep(forTimeInterval: pause)
                pause = min(2 * pause, Self.longestPause)
                // The controller may have heard of them meanwhile.
                frozen = frozen.filter { self.status(of: $0.key).lifecycle.stored.epoch == $0.value }
            }
        }
    }

    /// - Returns: those of which there is something to be found out.
    private func freeze(_ shards: [ShardID: Epoch]) -> [ShardID: Epoch] {
        shards.filter { self.status(of: $0.key).handle(.stored(.frozen(under: $0.value))) != nil }
    }

    /// In seconds.
    private static let firstPause = 0.1
    private static let longestPause = 1.0

    /// - Throws: when the outcome is unknown and the shards cannot be taken again.
    private func commit(_ submissions: ArraySlice<CommitQueue.Submission>) throws(StoreError) {
        let round = submissions.filter(self.queue.isCurrent)
        guard !round.isEmpty else { return }
        let outcomes: [AppendOutcome]
        do {
            let start = ContinuousClock.now
            outcomes = try self.store.append(round.map(\.batch))
            self.trouble.withLock { $0.recordSuccess() }
            self.metrics.recordAppend(
                took: .now - start, events: round.reduce(0) { $0 + $1.batch.events.count })
        } catch {
            return try self.settle(round[...], after: error)
        }
        var fenced: [ShardID: Epoch] = [:]
        for (submission, outcome) in zip(round, outcomes) {
            let (shard, epoch) = (submission.batch.shard, submission.batch.epoch)
            switch outcome {
            case .appended(let head):
                self.status(of: shard).handle(.stored(.appended(head: head, under: epoch)))
            case .fenced: fenced[shard] = epoch
            }
        }
        // By another owner; or by another head, where the log is not the one that was read. The claim tells them apart.
        try self.takeAgain(fenced)
    }

    private static func epochs(of round: ArraySlice<CommitQueue.Submission>) -> [ShardID: Epoch] {
        Dictionary(uniqueKeysWithValues: round.map { ($0.batch.shard, $0.batch.epoch) })
    }

    private func settle(
        _ round: ArraySlice<CommitQueue.Submission>, after error: StoreError
    ) throws(StoreError) {
        switch error.code {
        case .conflict where round.count > 1:
            // Nothing was stored. Halves find out whose it is.
            let middle = round.startIndex + round.count / 2
            try self.commit(round[..<middle])
            try self.commit(round[middle...])
        case .conflict:
            for submission in round { self.fail(submission, .conflict(error, submission.batch.epoch)) }
        case .outcomeUnknown:
            if self.trouble.withLock({ $0.recordUnknown(at: .now) }) {
                self.log("The outcome of a commit is unknown", error)
            }
            self.metrics.recordUnknownCommit()
            try self.takeAgain(Self.epochs(of: round))
        case .fenced, .deposed: try self.takeAgain(Self.epochs(of: round))
        case .rewound, .unavailable, .full, .corrupt, .incompatible:
            self.recordFailure("A commit failed", error)
            for submission in round { self.fail(submission, .failed(error, submission.batch.epoch)) }
        }
    }

    private func recordFailure(_ what: Logger.Message, _ error: StoreError) {
        if self.trouble.withLock({ $0.recordFailure(at: .now) }) { self.log(what, error) }
    }

    private func log(_ what: Logger.Message, _ error: StoreError) {
        self.logger.error(what, metadata: .runtime([.error: "\(error.code): \(error.message)"]))
    }

    /// To be called from time to time, also while nothing is committed.
    func reportEndOfTrouble() {
        guard let summary = self.trouble.withLock({ $0.end(at: .now) }) else { return }
        self.logger.notice(
            "The store takes commits again",
            metadata: .runtime([.failed: "\(summary.failed)", .unknown: "\(summary.unknown)"]))
    }

    private func fail(_ submission: CommitQueue.Submission, _ event: WriterEvent) {
        self.queue.discard(through: submission.lineage, of: submission.batch.shard)
        self.status(of: submission.batch.shard).news.put(event)
    }

    private func status(of shard: ShardID) -> ShardStatus { self.statuses[Int(shard.rawValue)] }
}
