import Clustering
import Distributed
import Entitlements
import EventSourcing
import Logging
import Sharding
import Subscriptions
import Synchronization
import WireProtocol

/// All shards of this process with their journal: who makes, runs and stops them.
final class ShardNode: Sendable {
    let map: ShardMap
    /// By shard number.
    let parts: [ShardParts]
    let watch: ClockWatch
    let positions: PositionGuard
    let checker: EntitlementChecker
    let store: any EventStore
    /// Where shards are compared with Apple's answers.
    let comparisons = ComparisonDesk()
    let id: NodeID
    let featureLevel: FeatureLevel

    private let cluster: ClusterNode?
    private let incarnation: Incarnation
    private let system: ClusterSystem
    /// Those that this node may own.
    private let shards: [SubscriptionShard]
    private let mailboxes: [JournalMailbox]
    private let journal: Journal
    private let nodeWatch: NodeWatch
    /// nil where shards are assigned.
    private let keeper: OwnershipKeeper?
    /// nil where no other node could own a shard.
    private let inbox: DurableInbox?
    private let uncounted: AsyncStream<ShardID>
    private let counts: AsyncStream<ShardID>.Continuation
    private let isStopping = Mutex(false)
    /// Why this node may own nothing any more, though nothing of it went wrong.
    private let retirement = Mutex<StoreError?>(nil)

    /// - Precondition: the store's shard count is one that a `ShardMap` takes.
    /// - Throws: `ClusterError`.
    init(
        store: any EventStore, configuration: RuntimeConfiguration, clock: any WallClock, catalog: Catalog,
        asks: AskQueue?, metrics: RuntimeMetrics, logger: Logger
    ) throws {
        guard let map = ShardMap(shardCount: store.identity.shardCount) else {
            preconditionFailure("a store is made with a shard count that a shard map takes")
        }
        let cluster = try configuration.cluster.map {
            try ClusterNode(configuration: $0, store: store, contract: .shards, logger: logger)
        }
        let system = ClusterSystem(
            shardMap: map, contract: .shards, transport: cluster ?? SingleNodeTransport() as any InvocationTransport)
        let loads = LoadQueue(store: store)
        let headers = HeaderMemory()
        let names = RowNames()
        let nodeClock = NodeClock()
        let watch = ClockWatch(clock: clock, metrics: metrics, logger: logger)
        let moves = ShardMoves(
            refusal: configuration.lease == nil
                ? ServiceError(.invalidRequest, "shards are assigned to nodes here, and do not move") : nil)
        let comparisons = self.comparisons
        let (uncounted, counts) = AsyncStream.makeStream(of: ShardID.self)
        let parts = map.shards.map { shard in
            ShardParts(
                shard: shard,
                isAssigned: configuration.lease == nil ? configuration.shards?.contains(shard) ?? true : nil,
                store: store, loads: loads,
                configuration: configuration, clock: clock,
                queue: ShardQueue(
                    countLimit: configuration.commandsPerShard, byteLimit: configuration.commandBytesPerShard,
                    batchLimit: configuration.commandsPerBatch, headers: headers),
                gate: ShardGate(clock: nodeClock), arm: TimerArm(), watch: watch,
                entitlements: EntitlementTable(limit: configuration.entitlementsPerShard, names: names),
                census: ShardCensus(rules: configuration.rules, metrics: metrics), uncounted: counts,
                asks: asks, moves: moves, comparisons: comparisons, metrics: ShardMetrics(), totals: metrics,
                logger: logger)
        }
        let lease = configuration.lease.map { NodeLease(terms: $0, clock: nodeClock) }
        let positions = PositionGuard(
            store: store, shards: parts,
            remote: configuration.cluster.map {
                RemoteShards(system: system, map: map, headers: headers, byteLimit: $0.callBytes)
            },
            lease: lease, guards: configuration.guards)
        let checker = EntitlementChecker(
            store: store, map: map, positions: positions, names: names, catalog: catalog, rules: configuration.rules,
            mirror: configuration.mirror, clock: clock, watch: watch, waitingClock: configuration.waitingClock)
        self.uncounted = uncounted
        self.counts = counts
        self.map = map
        self.parts = parts
        self.watch = watch
        self.positions = positions
        self.checker = checker
        self.cluster = cluster
        self.incarnation = configuration.cluster?.incarnation ?? Incarnation(rawValue: .random(in: .min ... .max))
        self.id = configuration.node
        self.featureLevel = configuration.featureLevel
        self.store = store
        self.system = system
        self.mailboxes = parts.map { _ in JournalMailbox() }
        self.shards = parts.filter { $0.isAssigned ?? true }.map { parts in
            ClusterSystem.assigning(ShardActorID(shard: parts.shard)) {
                SubscriptionShard(parts, checker: checker, actorSystem: system)
            }
        }
        self.journal = Journal(
            store: store, shards: self.shards.map(\.id.shard), byteLimit: configuration.journalBytes,
            listeners: self.mailboxes, metrics: metrics,
            logger: logger)
        self.nodeWatch = NodeWatch(store: store, clock: watch, journal: self.journal, logger: logger)
        self.inbox = (store as? any SharedEventStore).map { [journal = self.journal] in
            DurableInbox(store: $0, parts: parts, journal: journal, clock: clock, metrics: metrics, logger: logger)
        }
        guard let terms = configuration.lease, let lease else {
            self.keeper = nil
            return
        }
        guard let shared = store as? any SharedEventStore else {
            preconditionFailure("leases are kept in a store that nodes share")
        }
        for shard in self.shards { system.serve(shard.id.shard, under: nil) }
        self.keeper = OwnershipKeeper(
            store: shared, terms: terms, lease: lease, watch: watch, parts: parts, moves: moves, journal: self.journal,
            metrics: metrics, logger: logger
        ) { [weak cluster] in cluster?.watch($0) }
        system.onUnservedCall { [keeper = self.keeper] in keeper?.readSoon() }
        cluster?.onKnock { [keeper = self.keeper] in keeper?.noteKnock(at: $0, isRefused: $1) }
    }

    func parts(of key: StreamKey) -> ShardParts { self.parts[Int(self.map.shard(of: key.id).rawValue)] }

    /// How many nodes share the work, this one among them.
    func livingNodes() async throws -> Int {
        guard let shared = self.store as? any SharedEventStore else { return 1 }
        let view = try await OwnThread.value("view") { () throws(StoreError) in try shared.view() }
        return max(1, view.living.count)
    }

    var connections: [NodeID: Bool] { self.cluster?.connections ?? [:] }

    // MARK: Commands

    /// How long who wants to hear from the owner waits for there to be one.
    private static let patience = Duration.seconds(10)

    /// Recorded when it returns. Cancelling the caller does not cancel the command.
    func submit(_ submission: Submission) async throws(ServiceError) -> Acceptance {
        guard self.positions.remote != nil else { return try await self.offer(submission) }
        return try await OwnerSearch.ask(for: Self.patience) { () async throws(ServiceError) in
            try await self.offer(submission)
        }
    }

    /// The same for what only has to be safe: where the owner cannot be had, it is kept for him.
    /// - Returns: nil when it is.
    func ingest(_ submission: Submission) async throws(ServiceError) -> Acceptance? {
        do {
            return try await OwnerSearch.ask(for: PositionGuard.patience) { () async throws(ServiceError) in
                try await self.offer(submission)
            }
        } catch {
            guard let inbox = self.inbox, error.code.saysOwnerIsAbsent else { throw error }
            try await inbox.put(submission, for: self.map.shard(of: submission.key.id))
            return nil
        }
    }

    private func offer(_ submission: Submission) async throws(ServiceError) -> Acceptance {
        let parts = self.parts(of: submission.key)
        var outcome = SubmissionOutcome.refused(.notOwner, message: "another node owns the shard")
        if parts.isOurs {
            outcome = await withCheckedContinuation { waiter in
                parts.queue.enqueue(Command(submission: submission, waiter: .task(waiter)))
            }
        }
        if case .refused(.notOwner, _) = outcome, let remote = self.positions.remote {
            outcome = try await ServiceError.translating { try await remote.submit(submission, to: parts.shard) }
        }
        switch outcome {
        case .recorded(let place): return Acceptance(place: place, isDuplicate: false)
        case .duplicate(let place): return Acceptance(place: place, isDuplicate: true)
        case .refused(let code, let message): throw ServiceError(code, message)
        }
    }

    struct Acceptance {
        var place: SubmissionOutcome.Place
        var isDuplicate: Bool

        var outcome: IngestOutcome {
            self.isDuplicate ? .duplicate(self.place.version) : .recorded(self.place.version)
        }
    }

    /// Has the owner of a shard, wherever it is, make another node its owner. Who hears no more of it than that the shard is
    /// elsewhere by now asks there: it may be where it was to go.
    func move(_ shard: ShardID, to node: NodeID) async throws(ServiceError) {
        try await OwnerSearch.ask(for: Self.patience) { () async throws(ServiceError) in
            let parts = self.parts[Int(shard.rawValue)]
            if let remote = self.positions.remote, !parts.isOurs {
                return try await ServiceError.translating { try await remote.move(shard, to: node) }
            }
            try await parts.moves.request(shard, to: node)
        }
    }

    /// Has the owner of a shard, wherever it is, hold subscriptions of it against Apple's answers.
    func compare(
        _ comparison: ShardComparison, of shard: ShardID
    ) async throws(ServiceError) -> ShardComparisonResult {
        let parts = self.parts[Int(shard.rawValue)]
        guard let remote = self.positions.remote, !parts.isOurs else {
            return try await parts.comparisons.compare(comparison, of: shard)
        }
        return try await ServiceError.translating {
            try await remote.compare(comparison, of: shard, until: .now + Self.comparisonLimit)
        }
    }

    /// A question or two to Apple may wait for so long, where the limits are low.
    private static let comparisonLimit = Duration.seconds(600)

    // MARK: Life cycle

    /// Takes the shards and works until `stop()`; then returns when everything accepted is committed and answered.
    /// - Returns: why the shards could not be taken, or other nodes not be heard, if that ended it.
    func run() async -> (any Error)? {
        guard let cluster = self.cluster else {
            return await self.work(as: NodeRecord(id: self.id, incarnation: self.incarnation))
        }
        return await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                do {
                    try await cluster.run(serving: self.system)
                    return nil
                } catch {
                    self.stop()
                    return error
                }
            }
            guard let record = await cluster.registration() else { return await group.next() ?? nil }
            let failure = await self.work(as: record)
            // Calls from others have been answered; nobody has to be told any more.
            group.cancelAll()
            let end = await group.next() ?? nil
            return failure ?? end
        }
    }

    private func work(as node: NodeRecord) async -> StoreError? {
        var node = node
        node.featureLevel = self.featureLevel
        async let watching: Void = self.nodeWatch.run()
        async let keeping = self.keep(node)
        async let applying = self.applyKept()
        async let committing = self.journal.run(as: node, takesShards: self.keeper == nil)
        async let settling: Void = self.forEachShard { shard in
            await shard.whenLocal { await $0.settle(self.mailboxes[Int($0.id.shard.rawValue)]) }
        }
        async let timing: Void = self.forEachShard { shard in
            await self.parts[Int(shard.id.shard.rawValue)].timer.run()
        }
        async let counting: Void = self.count()
        await self.forEachShard { shard in await shard.whenLocal { await $0.drain(into: self.journal) } }
        self.counts.finish()
        self.inbox?.stop()
        self.journal.close()
        let failure = await committing
        for mailbox in self.mailboxes { mailbox.close() }
        _ = await (settling, timing, counting)
        let inboxFailure = await applying
        self.keeper?.stop()
        let end = await keeping
        self.nodeWatch.stop()
        await watching
        // Who retires was taken for dead before, which the last beat may have found.
        return failure ?? inboxFailure ?? self.retirement.withLock(\.self) ?? end
    }

    private func applyKept() async -> StoreError? {
        guard let inbox = self.inbox, let failure = await inbox.run() else { return nil }
        self.lose(failure)
        return failure
    }

    /// Nothing that this run knows can be believed any more.
    private func lose(_ failure: StoreError) {
        self.journal.lose(failure)
        self.stop()
    }

    private func keep(_ node: NodeRecord) async -> StoreError? {
        guard let keeper = self.keeper else { return nil }
        let failure = await keeper.run(as: node) { reason in
            self.retirement.withLock { $0 = reason }
            self.stop()
        }
        if let failure { self.lose(failure) }
        return failure
    }

    /// Refuses new commands, and lets what is there end.
    func stop() {
        self.keeper?.stopTaking()
        self.isStopping.withLock { $0 = true }
        self.inbox?.stop()
        self.journal.stopWaiting()
        for parts in self.parts {
            parts.arm.close()
            parts.queue.close(with: .refused(.stopping, message: "the node is shutting down"))
        }
    }

    private func forEachShard(_ body: @Sendable @escaping (SubscriptionShard) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for shard in self.shards { group.addTask { await body(shard) } }
        }
    }

    /// Fills the gauges of subscriptions, one shard after the other, beside the work.
    private func count() async {
        for await shard in self.uncounted where !self.isStopping.withLock({ $0 }) {
            let parts = self.parts[Int(shard.rawValue)]
            do {
                try await parts.census.count(shard, in: parts.store, clock: parts.clock)
            } catch {
                parts.logger.warning(
                    "The subscriptions of a shard could not be counted",
                    metadata: .runtime([.shard: "\(shard.rawValue)", .error: "\(error)"]))
            }
        }
    }

    // MARK: Readiness

    /// Sentences for people; none when the node can do this.
    func obstacles(to purpose: Readiness.Purpose) -> [String] {
        var obstacles: [String] = []
        let waiting = self.parts.filter { $0.isOurs && !$0.gate.isServing }.count
        if waiting > 0 { obstacles.append("\(waiting) of \(self.shards.count) shards cannot be served") }
        if let keeper = self.keeper, !keeper.lease.allowsAnswer {
            obstacles.append("the store has not answered this node for the length of its lease")
        }
        // It answers to the end, but whoever asks next had better ask another.
        if self.isStopping.withLock({ $0 }) { obstacles.append("the node is shutting down") }
        obstacles += self.nodeWatch.obstacles(to: purpose)
        guard purpose == .ingest else { return obstacles }
        if self.journal.isFailing { obstacles.append("the store took no commit lately") }
        return obstacles
    }
}
