import EventSourcing
import Logging
import Subscriptions
import Synchronization
import WireProtocol

/// Notifications that were acknowledged although the owner of their shard could not be had: any node keeps them in the store,
/// and whoever owns the shard next applies them. Each is applied once, since it has its dedup key, however often it is
/// kept or read from here.
final class DurableInbox: Sendable {
    private static let interval = Duration.milliseconds(250)
    private static let batchLimit = 256
    private static let attemptLimit = 5
    /// So many rows may wait, more or less: each node counts them now and then.
    private static let depthLimit = 100_000
    private static let measuringInterval = Duration.seconds(1)

    private let store: any SharedEventStore
    /// By shard number.
    private let parts: [ShardParts]
    private let clock: any WallClock
    private let metrics: RuntimeMetrics
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var depth = 0
        var measured: ContinuousClock.Instant?
        var isStopping = false
        var work: Task<Void, Never>?
    }

    init(
        store: any SharedEventStore, parts: [ShardParts], clock: any WallClock, metrics: RuntimeMetrics, logger: Logger
    ) {
        self.store = store
        self.parts = parts
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
    func run() async {
        let work = Task {
            while !Task.isCancelled {
                let isMore = await self.applyBatch()
                if !isMore { try? await Task.sleep(for: Self.interval) }
            }
        }
        let isStopping = self.state.withLock { state in
            state.work = work
            return state.isStopping
        }
        if isStopping { work.cancel() }
        await work.value
    }

    func stop() {
        let work = self.state.withLock { state in
            state.isStopping = true
            return state.work
        }
        work?.cancel()
    }

    private enum Result {
        case applied, failed
        /// To be tried again, as often as it takes.
        case refused
    }

    /// - Returns: whether more may wait that can be applied at once.
    private func applyBatch() async -> Bool {
        do {
            try await self.measure()
            let shards = self.parts.filter { $0.isOurs && $0.gate.isServing }.map(\.shard)
            guard !shards.isEmpty else { return false }
            let rows = try await self.store.inbox(of: shards, limit: Self.batchLimit)
            guard !rows.isEmpty else { return false }
            let results = await self.apply(rows)
            let applied = zip(rows, results).filter { $1 == .applied }.map(\.0.dedupKey)
            if !applied.isEmpty { try await self.store.removeFromInbox(applied) }
            let failed = zip(rows, results).filter { $1 == .failed }.map(\.0.dedupKey)
            if !failed.isEmpty {
                try await self.store.recordFailedAttempt(
                    failed, parkingAt: Self.attemptLimit, at: self.clock.now.milliseconds)
            }
            return rows.count == Self.batchLimit && applied.count == rows.count
        } catch {
            // The store is away: who else needs it says so.
            return false
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
            case .recorded, .duplicate: return .applied
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
