import EventSourcing
import Foundation
import Logging
import Synchronization

/// Writes for all shards of a node, on a thread of its own: while one commit is under way the next one gathers, across
/// shards. Each shard hears what became of its submissions in the order in which it made them.
final class Journal: Sendable {
    private let store: any EventStore
    private let node: NodeID
    private let incarnation: Incarnation
    private let queue: JournalQueue
    /// By shard number.
    private let listeners: [JournalMailbox]
    private let metrics: RuntimeMetrics
    private let logger: Logger
    /// nil once the store has taken a commit again.
    private let failure = Mutex<Failure?>(nil)
    private static let failureMemory = Duration.seconds(5)
    /// Callers come back at once, so a full disk would soon be full of lines about it.
    private static let failureLogInterval = Duration.seconds(60)

    private struct Failure {
        /// When the store last refused a commit.
        var last: ContinuousClock.Instant
        /// When the log last said so.
        var logged: ContinuousClock.Instant
    }

    init(
        store: any EventStore, node: NodeID, incarnation: Incarnation, byteLimit: Int,
        listeners: [JournalMailbox], metrics: RuntimeMetrics, logger: Logger
    ) {
        self.store = store
        self.node = node
        self.incarnation = incarnation
        self.queue = JournalQueue(byteLimit: byteLimit)
        self.listeners = listeners
        self.metrics = metrics
        self.logger = logger
    }

    /// false when too much waits already.
    func submit(_ batch: ShardBatch, lineage: Int, bytes: Int) -> Bool {
        self.queue.submit(JournalQueue.Submission(batch: batch, lineage: lineage, bytes: bytes))
    }

    /// Takes the shards, then commits until `close()`, and returns when everything submitted is settled.
    /// - Returns: why the shards could not be taken, at the start or again after a commit of unknown outcome.
    func run() async -> StoreError? {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: self.work()) }
            thread.name = "committer"
            thread.start()
        }
    }

    /// The last commit failed, and that was not long ago.
    var isFailing: Bool {
        self.failure.withLock { $0.map { .now - $0.last < Self.failureMemory } ?? false }
    }

    /// Nothing is submitted after this.
    func close() { self.queue.close() }

    // MARK: On the thread

    private func work() -> StoreError? {
        do {
            try self.claim()
            while true {
                let round = self.queue.next()
                guard !round.isEmpty else { return nil }
                try self.commit(round[...])
            }
        } catch {
            self.logger.critical(
                "The shards could not be taken", metadata: .runtime([.error: "\(error.code): \(error.message)"]))
            self.queue.close()
            for listener in self.listeners { listener.put(.lost(error)) }
            return error
        }
    }

    private func claim() throws(StoreError) {
        let ownerships = try self.store.claimAllShards(node: self.node, incarnation: self.incarnation)
        self.queue.require(ownerships)
        for ownership in ownerships { self.tell(ownership.shard, .owned(ownership)) }
    }

    /// - Throws: when the outcome is unknown and the shards cannot be taken again.
    private func commit(_ submissions: ArraySlice<JournalQueue.Submission>) throws(StoreError) {
        let round = submissions.filter(self.queue.isCurrent)
        guard !round.isEmpty else { return }
        let outcomes: [AppendOutcome]
        do {
            let start = ContinuousClock.now
            outcomes = try self.store.append(round.map(\.batch))
            self.recordSuccess()
            self.metrics.recordAppend(
                took: .now - start, events: round.reduce(0) { $0 + $1.batch.events.count })
        } catch {
            return try self.settle(round[...], after: error)
        }
        for (submission, outcome) in zip(round, outcomes) {
            switch outcome {
            case .appended: self.tell(submission.batch.shard, .committed)
            case .fenced: self.fail(submission, .fenced)
            }
        }
    }

    private func settle(
        _ round: ArraySlice<JournalQueue.Submission>, after error: StoreError
    ) throws(StoreError) {
        switch error.code {
        case .conflict where round.count > 1:
            // Nothing was stored. Halves find out whose it is.
            let middle = round.startIndex + round.count / 2
            try self.commit(round[..<middle])
            try self.commit(round[middle...])
        case .conflict:
            for submission in round { self.fail(submission, .conflict(error)) }
        case .outcomeUnknown:
            self.logger.error(
                "The outcome of a commit is unknown",
                metadata: .runtime([.error: "\(error.code): \(error.message)"]))
            self.metrics.recordUnknownCommit()
            for listener in self.listeners { listener.put(.frozen) }
            try self.claim()
        case .fenced:
            for submission in round { self.fail(submission, .fenced) }
        case .rewound, .unavailable, .full, .corrupt, .incompatible:
            self.recordFailure(error)
            for submission in round { self.fail(submission, .failed(error)) }
        }
    }

    /// Logs the first failure, and then one a minute.
    private func recordFailure(_ error: StoreError) {
        let now = ContinuousClock.now
        let mustLog = self.failure.withLock { failure in
            let mustLog = failure.map { now - $0.logged >= Self.failureLogInterval } ?? true
            failure = Failure(last: now, logged: mustLog ? now : failure?.logged ?? now)
            return mustLog
        }
        guard mustLog else { return }
        self.logger.error("A commit failed", metadata: .runtime([.error: "\(error.code): \(error.message)"]))
    }

    private func recordSuccess() {
        guard self.failure.withLock({ $0.take() }) != nil else { return }
        self.logger.notice("The store takes commits again")
    }

    private func fail(_ submission: JournalQueue.Submission, _ event: JournalEvent) {
        if case .fenced = event { self.metrics.recordFenced() }
        self.queue.discard(through: submission.lineage, of: submission.batch.shard)
        self.tell(submission.batch.shard, event)
    }

    private func tell(_ shard: ShardID, _ event: JournalEvent) {
        self.listeners[Int(shard.rawValue)].put(event)
    }
}
