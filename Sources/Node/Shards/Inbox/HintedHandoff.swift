import EventLog
import Logging
import Ownership
import ServiceContract
import Subscriptions
import Synchronization
import Waiting
import WireProtocol

/// What waits in the store for the owners of its shards: notifications that were acknowledged although the owner could not be had,
/// which any node keeps, and what commits have left to do in other streams. Whoever owns the shard applies it. Each row is applied
/// once, since it has its dedup key, however often it is kept or read from here, and stays until the store itself says that it has
/// what was applied.
///
/// Reviews of customers depend on the owners of other shards: one loop does them, and one everything else, so that who is away keeps
/// nobody else waiting. What cannot be done now rests for a while, and what comes after it goes on.
final class HintedHandoff: Sendable {
    private static let interval = Duration.milliseconds(250)
    private static let batchLimit = 256
    private static let reviewLimit = 64
    /// What was refused rests for so long, and what others were faster with.
    private static let rest = Duration.seconds(1)
    private static let shortRest = Duration.milliseconds(50)
    private static let attemptLimit = 5
    /// So many rows may wait, more or less: each node counts them now and then.
    private static let depthLimit = 100_000
    private static let measuringInterval = Duration.seconds(1)

    private let store: any EventStore
    private let leftToDo: LeftToDo
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
        var work: [Task<StoreError?, Never>] = []
    }

    init(
        store: any EventStore, leftToDo: LeftToDo, parts: [ShardParts], committer: GroupCommitter,
        clock: any WallClock, metrics: RuntimeMetrics, logger: Logger
    ) {
        self.store = store
        self.leftToDo = leftToDo
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
    /// - Parameter reviewer: looks at customers.
    /// - Returns: why shards that the store has come to know less of could not be taken again, if that ended it.
    func run(_ reviewer: any CustomerReviewing) async -> StoreError? {
        let applying = Task {
            await self.loop(until: self.leftToDo.submissions) { rows, standings in
                await self.apply(rows, standings)
            }
        }
        let reviewing = Task {
            await self.loop(until: self.leftToDo.reviews) { rows, standings in
                await self.review(rows, standings, reviewer)
            }
        }
        let isStopping = self.state.withLock { state in
            state.work = [applying, reviewing]
            return state.isStopping
        }
        if isStopping { for task in [applying, reviewing] { task.cancel() } }
        return await withTaskGroup { group in
            for task in [applying, reviewing] { group.addTask { await task.value } }
            var failure: StoreError?
            for await ended in group {
                guard let ended else { continue }
                failure = failure ?? ended
                self.stop()
            }
            return failure
        }
    }

    func stop() {
        let work = self.state.withLock { state in
            state.isStopping = true
            return state.work
        }
        for task in work { task.cancel() }
    }

    fileprivate enum Result {
        /// What the row says is in the log, up to here.
        case applied(LogSequence)
        case failed
        /// To be tried again after a rest, as often as it takes.
        case refused(Duration)
        /// To be done once more, now.
        case again
        /// Another loop's.
        case elsewhere
    }

    fileprivate typealias Work = @Sendable (_ rows: [InboxRow], [ShardID: ShardStanding]) async -> [Result]

    private func loop(until event: AsyncEvent, _ work: @escaping Work) async -> StoreError? {
        var resting: [[UInt8]: ContinuousClock.Instant] = [:]
        while !Task.isCancelled {
            do {
                if try await self.round(&resting, work) { continue }
            } catch let failure as Doubt {
                return failure.error
            } catch {
                // The store is away: who else needs it says so.
            }
            await event.wait(atMost: Self.interval)
        }
        return nil
    }

    /// Why shards of which the store knows less could not be taken again.
    private struct Doubt: Error {
        let error: StoreError
    }

    /// All that waits, page by page.
    /// - Returns: whether something has been done, so that more may be there to do.
    private func round(_ resting: inout [[UInt8]: ContinuousClock.Instant], _ work: Work) async throws -> Bool {
        try await self.measure()
        let now = ContinuousClock.now
        resting = resting.filter { now < $1 }
        var hasDone = false
        var last: InboxRow?
        while !Task.isCancelled {
            // As it is before anything is judged: what a shard that is taken again meanwhile has forgotten does not count.
            let standings = self.standings
            guard !standings.isEmpty else { return false }
            let page = try await self.store.inbox(of: standings.keys.sorted(), after: last, limit: Self.batchLimit)
            guard !page.isEmpty else { return hasDone }
            let rows = page.filter { resting[$0.dedupKey] == nil }
            let results = await work(rows, standings)
            for (row, result) in zip(rows, results) {
                if let rest = result.rest { resting[row.dedupKey] = .now + rest }
            }
            if try await self.settle(rows, results, standings) { hasDone = true }
            guard page.count == Self.batchLimit else { return hasDone }
            last = page.last
        }
        return false
    }

    /// - Returns: whether something has been done.
    private func settle(
        _ rows: [InboxRow], _ results: [Result], _ standings: [ShardID: ShardStanding]
    ) async throws -> Bool {
        let removals = zip(rows, results).compactMap { self.removal(of: $0, $1, standings) }
        let refused = removals.isEmpty ? [] : try await self.store.removeFromInbox(removals)
        if let failure = await self.doubt(refused, standings) { throw Doubt(error: failure) }
        let failed = zip(rows, results).filter { $1.isFailure }.map(\.0.dedupKey)
        if !failed.isEmpty {
            try await self.store.recordFailedAttempt(
                failed, parkingAt: Self.attemptLimit, at: self.clock.now.milliseconds)
        }
        return refused.isEmpty && !removals.isEmpty || results.contains { $0.isToRepeat }
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

    // MARK: Submissions

    private func apply(_ rows: [InboxRow], _ standings: [ShardID: ShardStanding]) async -> [Result] {
        await withTaskGroup { group in
            for (place, row) in rows.enumerated() {
                group.addTask { (place, await self.apply(row)) }
            }
            var results = [Result](repeating: .elsewhere, count: rows.count)
            for await (place, result) in group { results[place] = result }
            return results
        }
    }

    private func apply(_ row: InboxRow) async -> Result {
        let queue = self.parts[Int(row.shard.rawValue)].queue
        do {
            let submission = try Submission(wireBytes: row.raw)
            guard submission.bundle.review == nil else { return .elsewhere }
            let outcome = await withCheckedContinuation { waiter in
                queue.enqueue(Command(submission: submission, waiter: .task(waiter)))
            }
            switch outcome {
            case .recorded(let place), .duplicate(let place): return .applied(place.sequence)
            case .refused(let code, let message): return self.result(of: row, code, message)
            }
        } catch {
            return self.fail(row, "\(type(of: error))")
        }
    }

    // MARK: Reviews

    private func review(
        _ rows: [InboxRow], _ standings: [ShardID: ShardStanding], _ reviewer: any CustomerReviewing
    ) async -> [Result] {
        var results = [Result](repeating: .elsewhere, count: rows.count)
        // What cannot be read the other loop finds too.
        let requests = rows.enumerated().compactMap { place, row in
            (try? Submission(wireBytes: row.raw)).flatMap(ReviewRequest.init).map { (place, $0) }
        }
        for start in stride(from: 0, to: requests.count, by: Self.reviewLimit) {
            let group = requests[start..<min(start + Self.reviewLimit, requests.count)]
            for ((place, _), outcome) in zip(group, await reviewer.review(group.map(\.1))) {
                results[place] =
                    switch outcome {
                    case .done: .applied(standings[rows[place].shard]?.head ?? .zero)
                    case .again: .again
                    case .failed(let error): self.result(of: rows[place], error.code, error.message)
                    }
            }
        }
        return results
    }

    // MARK: Trouble

    private func result(of row: InboxRow, _ code: ServiceError.Code, _ message: String) -> Result {
        // Somebody else has said something at the same time.
        if code == .customerMoving { return .refused(Self.shortRest) }
        return code.isRetryable && code != .parked ? .refused(Self.rest) : self.fail(row, message)
    }

    private func fail(_ row: InboxRow, _ reason: String) -> Result {
        self.logger.error(
            "What waits in the inbox cannot be applied",
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

extension HintedHandoff.Result {
    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }
    fileprivate var isToRepeat: Bool { if case .again = self { true } else { false } }
    fileprivate var rest: Duration? {
        switch self {
        case .refused(let duration): duration
        case .failed: .seconds(1)
        case .applied, .again, .elsewhere: nil
        }
    }
}
