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
    let positions: PositionGuard
    let checker: EntitlementChecker

    private let cluster: ClusterNode?
    private let node: NodeID
    private let incarnation: Incarnation
    private let system: ClusterSystem
    /// Those of this node.
    private let shards: [SubscriptionShard]
    private let mailboxes: [JournalMailbox]
    private let journal: Journal
    private let isStopping = Mutex(false)

    /// - Precondition: the store's shard count is one that a `ShardMap` takes.
    /// - Throws: `ClusterError`.
    init(
        store: any EventStore, configuration: RuntimeConfiguration, clock: any WallClock, catalog: Catalog,
        metrics: RuntimeMetrics, logger: Logger
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
        let names = RowNames()
        let watch = ClockWatch(clock: clock, metrics: metrics, logger: logger)
        let parts = map.shards.map { shard in
            ShardParts(
                shard: shard, isOurs: configuration.shards?.contains(shard) ?? true, store: store, loads: loads,
                configuration: configuration, clock: clock,
                queue: ShardQueue(
                    countLimit: configuration.commandsPerShard, byteLimit: configuration.commandBytesPerShard,
                    batchLimit: configuration.commandsPerBatch),
                gate: ShardGate(), arm: TimerArm(), watch: watch,
                entitlements: EntitlementTable(limit: configuration.entitlementsPerShard, names: names),
                census: ShardCensus(rules: configuration.rules, metrics: metrics), metrics: ShardMetrics(),
                totals: metrics, logger: logger)
        }
        let positions = PositionGuard(
            store: store, shards: parts, remote: cluster == nil ? nil : RemoteShards(system: system, map: map))
        let checker = EntitlementChecker(
            store: store, map: map, positions: positions, names: names, catalog: catalog, rules: configuration.rules,
            clock: clock)
        self.map = map
        self.parts = parts
        self.positions = positions
        self.checker = checker
        self.cluster = cluster
        self.incarnation = configuration.cluster?.incarnation ?? Incarnation(rawValue: .random(in: .min ... .max))
        self.node = configuration.node
        self.system = system
        self.mailboxes = parts.map { _ in JournalMailbox() }
        self.shards = parts.filter(\.isOurs).map { parts in
            ClusterSystem.assigning(ShardActorID(shard: parts.shard)) {
                SubscriptionShard(parts, checker: checker, actorSystem: system)
            }
        }
        self.journal = Journal(
            store: store, shards: self.shards.map(\.id.shard), byteLimit: configuration.journalBytes,
            listeners: self.mailboxes, metrics: metrics,
            logger: logger)
    }

    func parts(of key: StreamKey) -> ShardParts { self.parts[Int(self.map.shard(of: key.id).rawValue)] }

    // MARK: Commands

    /// Durable when it returns. Cancelling the caller does not cancel the command.
    func submit(_ submission: Submission) async throws(ServiceError) -> Acceptance {
        let parts = self.parts(of: submission.key)
        let outcome: SubmissionOutcome
        if parts.isOurs {
            outcome = await withCheckedContinuation { waiter in
                parts.queue.enqueue(Command(submission: submission, waiter: .task(waiter)))
            }
        } else if let remote = self.positions.remote {
            outcome = try await ServiceError.translating { try await remote.submit(submission, to: parts.shard) }
        } else {
            throw ServiceError(.notOwner, "another node owns the shard, and this one talks to none")
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
    /// - Returns: why the shards could not be taken, or other nodes not be heard, if that ended it.
    func run() async -> (any Error)? {
        guard let cluster = self.cluster else {
            return await self.work(as: NodeRecord(id: self.node, incarnation: self.incarnation))
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
        async let committing = self.journal.run(as: node)
        async let settling: Void = self.forEachShard { shard in
            await shard.whenLocal { await $0.settle(self.mailboxes[Int($0.id.shard.rawValue)]) }
        }
        async let timing: Void = self.forEachShard { shard in
            await self.parts[Int(shard.id.shard.rawValue)].timer.run()
        }
        async let counting: Void = self.count()
        await self.forEachShard { shard in await shard.whenLocal { await $0.drain(into: self.journal) } }
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

    private func forEachShard(_ body: @Sendable @escaping (SubscriptionShard) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for shard in self.shards { group.addTask { await body(shard) } }
        }
    }

    /// Fills the gauges of subscriptions, one shard after the other, beside the work.
    private func count() async {
        for parts in self.parts where parts.isOurs && !self.isStopping.withLock({ $0 }) {
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
        let waiting = self.parts.filter { $0.isOurs && !$0.gate.isServing }.count
        if waiting > 0 { obstacles.append("\(waiting) of \(self.shards.count) shards cannot be served") }
        guard purpose == .ingest else { return obstacles }
        if self.isStopping.withLock({ $0 }) { obstacles.append("the node is shutting down") }
        if self.journal.isFailing { obstacles.append("the store took no commit lately") }
        return obstacles
    }
}
