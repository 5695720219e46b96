import Clustering
import Distributed
import EventSourcing
import Logging
import Sharding
import Subscriptions
import Synchronization

/// All shards of this process with their journal: who makes, runs and stops them.
final class ShardNode: Sendable {
    let map: ShardMap
    /// By shard number.
    let parts: [ShardParts]
    /// Of the entitlement rows in memory.
    let names = RowNames()

    private let system: ClusterSystem
    private let shards: [SubscriptionShard]
    private let mailboxes: [JournalMailbox]
    private let journal: Journal
    private let isStopping = Mutex(false)

    /// - Precondition: the store's shard count is one that a `ShardMap` takes.
    init(
        store: any EventStore, configuration: RuntimeConfiguration, clock: any WallClock, metrics: RuntimeMetrics,
        logger: Logger
    ) {
        guard let map = ShardMap(shardCount: store.identity.shardCount) else {
            preconditionFailure("a store is made with a shard count that a shard map takes")
        }
        let system = ClusterSystem(shardMap: map)
        let loads = LoadQueue(store: store)
        let names = self.names
        let watch = ClockWatch(clock: clock, metrics: metrics, logger: logger)
        let parts = map.shards.map { shard in
            ShardParts(
                shard: shard, store: store, loads: loads, configuration: configuration, clock: clock,
                queue: ShardQueue(
                    countLimit: configuration.commandsPerShard, byteLimit: configuration.commandBytesPerShard,
                    batchLimit: configuration.commandsPerBatch),
                gate: ShardGate(), arm: TimerArm(), watch: watch,
                entitlements: EntitlementTable(limit: configuration.entitlementsPerShard, names: names),
                census: ShardCensus(rules: configuration.rules, metrics: metrics), metrics: ShardMetrics(),
                totals: metrics, logger: logger)
        }
        self.map = map
        self.parts = parts
        self.system = system
        self.mailboxes = parts.map { _ in JournalMailbox() }
        self.shards = parts.map { parts in
            ClusterSystem.assigning(ShardActorID(shard: parts.shard)) {
                SubscriptionShard(parts, actorSystem: system)
            }
        }
        self.journal = Journal(
            store: store,
            node: NodeRecord(id: configuration.node, incarnation: Incarnation(rawValue: .random(in: .min ... .max))),
            shards: map.shards, byteLimit: configuration.journalBytes, listeners: self.mailboxes, metrics: metrics,
            logger: logger)
    }

    func parts(of key: StreamKey) -> ShardParts { self.parts[Int(self.map.shard(of: key.id).rawValue)] }

    // MARK: Commands

    /// Durable when it returns. Cancelling the caller does not cancel the command.
    func submit(_ submission: Submission) async throws(ServiceError) -> Acceptance {
        let outcome: SubmissionOutcome
        do {
            let id = ShardActorID(shard: self.map.shard(of: submission.key.id))
            outcome = try await SubscriptionShard.resolve(id: id, using: self.system).submit(submission)
        } catch {
            throw ServiceError(error)
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
    }

    // MARK: Life cycle

    /// Takes the shards and works until `stop()`; then returns when everything accepted is committed and answered.
    /// - Returns: why the shards could not be taken, if that ended it.
    func run() async -> StoreError? {
        async let committing = self.journal.run()
        async let settling: Void = self.forEachShard { shard, index in
            await shard.whenLocal { await $0.settle(self.mailboxes[index]) }
        }
        async let timing: Void = self.forEachShard { _, index in await self.parts[index].timer.run() }
        async let counting: Void = self.count()
        await self.forEachShard { shard, _ in await shard.whenLocal { await $0.drain(into: self.journal) } }
        self.journal.close()
        let failure = await committing
        for mailbox in self.mailboxes { mailbox.close() }
        _ = await (settling, timing, counting)
        return failure
    }

    /// Refuses new commands, and lets what is there end.
    func stop() {
        self.isStopping.withLock { $0 = true }
        self.journal.stopWaiting()
        for parts in self.parts {
            parts.arm.close()
            parts.queue.close(with: .refused(.stopping, message: "the node is shutting down"))
        }
    }

    private func forEachShard(_ body: @Sendable @escaping (SubscriptionShard, Int) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for (index, shard) in self.shards.enumerated() {
                group.addTask { await body(shard, index) }
            }
        }
    }

    /// Fills the gauges of subscriptions, one shard after the other, beside the work.
    private func count() async {
        for parts in self.parts where !self.isStopping.withLock({ $0 }) {
            do {
                try await parts.census.count(parts.shard, in: parts.store, clock: parts.clock)
            } catch {
                parts.logger.warning(
                    "The subscriptions of a shard could not be counted",
                    metadata: .runtime([.shard: "\(parts.shard.rawValue)", .error: "\(error)"]))
            }
        }
    }

    // MARK: Readiness

    /// Sentences for people; none when the node can do this.
    func obstacles(to purpose: Readiness.Purpose) -> [String] {
        var obstacles: [String] = []
        let waiting = self.parts.filter { !$0.gate.isServing }.count
        if waiting > 0 { obstacles.append("\(waiting) of \(self.parts.count) shards cannot be served") }
        guard purpose == .ingest else { return obstacles }
        if self.isStopping.withLock({ $0 }) { obstacles.append("the node is shutting down") }
        if self.journal.isFailing { obstacles.append("the store took no commit lately") }
        return obstacles
    }
}
