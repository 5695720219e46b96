import EventSourcing
import Logging

/// What a shard's actor, its timer and its readers share. All of it may be used from any thread. A class, since each check
/// looks at a few of these parts, and copying them all would take longer.
final class ShardParts: Sendable {
    let shard: ShardID
    /// Whether the shard is assigned to this node; nil where ownership goes by leases.
    let isAssigned: Bool?
    let store: any EventStore
    /// Of the node: shards load together.
    let loads: LoadQueue
    let configuration: RuntimeConfiguration
    let clock: any WallClock
    let queue: ShardQueue
    let gate: ShardGate
    let arm: TimerArm
    let watch: ClockWatch
    let entitlements: EntitlementTable
    let census: ShardCensus
    /// Takes shards whose subscriptions are to be counted.
    let uncounted: AsyncStream<ShardID>.Continuation
    /// Of the node: what Apple should be asked about; nil where it cannot be asked.
    let asks: AskQueue?
    /// Of the node: what people want to be moved.
    let moves: ShardMoves
    /// Of the node: who compares the shard with Apple's answers.
    let comparisons: ComparisonDesk
    /// Of this shard's traffic.
    let metrics: ShardMetrics
    /// Of the node.
    let totals: RuntimeMetrics
    let logger: Logger

    init(
        shard: ShardID, isAssigned: Bool?, store: any EventStore, loads: LoadQueue,
        configuration: RuntimeConfiguration, clock: any WallClock, queue: ShardQueue, gate: ShardGate, arm: TimerArm,
        watch: ClockWatch, entitlements: EntitlementTable, census: ShardCensus,
        uncounted: AsyncStream<ShardID>.Continuation, asks: AskQueue?, moves: ShardMoves,
        comparisons: ComparisonDesk, metrics: ShardMetrics, totals: RuntimeMetrics, logger: Logger
    ) {
        self.shard = shard
        self.isAssigned = isAssigned
        self.store = store
        self.loads = loads
        self.configuration = configuration
        self.clock = clock
        self.queue = queue
        self.gate = gate
        self.arm = arm
        self.watch = watch
        self.entitlements = entitlements
        self.census = census
        self.uncounted = uncounted
        self.asks = asks
        self.moves = moves
        self.comparisons = comparisons
        self.metrics = metrics
        self.totals = totals
        self.logger = logger
    }

    /// This node answers for the shard; for others it asks their owners.
    var isOurs: Bool { self.isAssigned ?? (self.gate.epoch != nil) }

    var timer: ShardTimer {
        ShardTimer(
            shard: self.shard, arm: self.arm, watch: self.watch, queue: self.queue, store: self.store,
            clock: self.clock, batchLimit: self.configuration.timersPerBatch, metrics: self.totals, logger: self.logger)
    }
}
