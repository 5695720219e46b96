import EventLog
import Logging
import Ownership
import ServiceContract
import Subscriptions
import Synchronization
import Waiting
import WireProtocol

/// Notifications that were acknowledged although the owner of their shard could not be had: any node keeps them in the store,
/// and whoever owns the shard next applies them. Each is applied once, since it has its dedup key, however often it is
/// kept or read from here, and its row stays until the store itself says that it has what was applied.
final class HintedHandoff: Sendable {
    private static let interval = Duration.milliseconds(250)
    private static let batchLimit = 256
    private static let attemptLimit = 5
    /// So many rows may wait, more or less: each node counts them now and then.
    private static let depthLimit = 100_000
    private static let measuringInterval = Duration.seconds(1)

    private let store: any SharedEventStore
    /// By shard number.
    private let parts: [ShardParts]
    private let committer: GroupCommitter
    private let clock: any WallClock
    private let metrics: RuntimeMetrics
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var depth = 0
        var measured: ContinuousClock.Instant?
        var isStopping = false
        var work: Task<StoreError?, Never>?
    }

    init(
        store: any SharedEventStore, parts: [ShardParts], committer: GroupCommitter, clock: any WallClock,
        metrics: RuntimeMetrics, logger: Logger
    ) {
        self.store = store
        self.parts = parts
        self.committer = committer
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// Durable when it returns.
    /// - Throws: `.storeFull` when so much waits already that its sender had better keep it.
    func put(_ submission: Submission, for shard: ShardID) async throws(ServiceError) {
        guard self.state.withLock({ $0.depth < Self.depthLimit }) else {
            throw ServiceError(.storeFull, "too many notifications wait for the owners of their shards")
        }
        try await ServiceError.translating {
            // The same UUID with other content is another notification.
            let row = InboxRow(
                dedupKey: submission.bundle.variantKey, shard: shard, receivedAt: self.clock.now.milliseconds,
                raw: try submission.wireBytes())
            try await self.store.put(row)
        }
        self.state.withLock { $0.depth += 1 }
    }

    // MARK: Applying

    /// Applies what waits for shards of this node, until `stop()`.
    /// - Returns: why shards that the store has come to know less of could not be taken again, if that ended it.
    func run() async -> StoreError? {
        let work = Task { () -> StoreError? in
            while !Task.isCancelled {
                switch await self.applyBatch() {
                case .isFull: continue
                case .isDone: try? await Task.sleep(for: Self.interval)
                case .failed(let error): return error
                }
            }
            return nil
        }
        let isStopping = self.state.withLock { state in
            state.work = work
            return state.isStopping
        }
        if isStopping { work.cancel() }
        return await work.value
    }

    func stop() {
        let work = self.state.withLock { state in
            state.isStopping = true
            return state.work
        }
        work?.cancel()
    }

    private enum Round {
        /// More may wait that can be applied at once.
        case isFull
        case isDone
        case failed(StoreError)
    }

    private enum Result {
        /// What the row says is in the log, up to here.
        case applied(LogSequence)
        case failed
        /// To be tried again, as often as it takes.
        case refused

        var isFailure: Bool {
            switch self {
            case .failed: true
            case .applied, .refused: false
            }
        }
    }

    private func applyBatch() async -> Round {
        do {
            try await self.measure()
            // As it is before anything is judged: what a shard that is taken again meanwhile has forgotten does not count.
            let standings = self.standings
            guard !standings.isEmpty else { return .isDone }
            let rows = try await self.store.inbox(of: standings.keys.sorted(), limit: Self.batchLimit)
            guard !rows.isEmpty else { return .isDone }
            let results = await self.apply(rows)
            let removals = zip(rows, results).compactMap { self.removal(of: $0, $1, standings) }
            let refused = removals.isEmpty ? [] : try await self.store.removeFromInbox(removals)
            if let failure = await self.doubt(refused, standings) { return .failed(failure) }
            let failed = zip(rows, results).filter { $1.isFailure }.map(\.0.dedupKey)
            if !failed.isEmpty {
                try await self.store.recordFailedAttempt(
                    failed, parkingAt: Self.attemptLimit, at: self.clock.now.milliseconds)
            }
            let isFull = rows.count == Self.batchLimit && removals.count == rows.count && refused.isEmpty
            return isFull ? .isFull : .isDone
        } catch {
            // The store is away: who else needs it says so.
            return .isDone
        }
    }

    private var standings: [ShardID: ShardStanding] {
        let standings = self.parts.filter(\.isOurs).compactMap { parts in
            parts.status.servedStanding.map { (parts.shard, $0) }
        }
        return Dictionary(uniqueKeysWithValues: standings)
    }

    private func removal(
        of row: InboxRow, _ result: Result, _ standings: [ShardID: ShardStanding]
    ) -> InboxRemoval? {
        guard case .applied(let place) = result, let standing = standings[row.shard] else { return nil }
        return InboxRemoval(
            dedupKey: row.dedupKey, shard: row.shard, epoch: standing.epoch, incarnation: standing.incarnation,
            head: max(standing.head, place))
    }

    /// What the memory of these shards says of their rows does not count: it is made anew from the log, and then the rows are
    /// judged again.
    private func doubt(_ shards: Set<ShardID>, _ standings: [ShardID: ShardStanding]) async -> StoreError? {
        guard !shards.isEmpty else { return nil }
        let epochs = standings.filter { shards.contains($0.key) }.mapValues(\.epoch)
        return await DedicatedThread.failure(named: "inbox") { () throws(StoreError) in try self.committer.doubt(epochs)
        }
    }

    private func apply(_ rows: [InboxRow]) async -> [Result] {
        await withTaskGroup { group in
            for (place, row) in rows.enumerated() {
                group.addTask { (place, await self.apply(row)) }
            }
            var results = [Result](repeating: .refused, count: rows.count)
            for await (place, result) in group { results[place] = result }
            return results
        }
    }

    private func apply(_ row: InboxRow) async -> Result {
        let queue = self.parts[Int(row.shard.rawValue)].queue
        do {
            let submission = try Submission(wireBytes: row.raw)
            let outcome = await withCheckedContinuation { waiter in
                queue.enqueue(Command(submission: submission, waiter: .task(waiter)))
            }
            switch outcome {
            case .recorded(let place), .duplicate(let place): return .applied(place.sequence)
            case .refused(.parked, let message): return self.fail(row, message)
            case .refused(let code, let message): return code.isRetryable ? .refused : self.fail(row, message)
            }
        } catch {
            return self.fail(row, "\(type(of: error))")
        }
    }

    private func fail(_ row: InboxRow, _ reason: String) -> Result {
        self.logger.error(
            "A kept notification cannot be applied",
            metadata: .runtime([.shard: "\(row.shard.rawValue)", .reason: "\(reason)"]))
        return .failed
    }

    private func measure() async throws(StoreError) {
        let now = ContinuousClock.now
        let measured = self.state.withLock(\.measured)
        if let measured, now - measured < Self.measuringInterval { return }
        let depth = try await self.store.inboxDepth()
        self.state.withLock { state in
            state.depth = depth.waiting
            state.measured = now
        }
        self.metrics.setInbox(depth, at: self.clock.now)
    }
}
