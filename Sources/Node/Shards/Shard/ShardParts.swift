package import EventLog
import Logging

/// What a shard's actor, its timer and its readers share. All of it may be used from any thread. A class, since each check
/// looks at a few of these parts, and copying them all would take longer.
package final class ShardParts: Sendable {
    package let shard: ShardID
    /// Whether the shard is assigned to this node; nil where ownership goes by leases.
    let isAssigned: Bool?
    let store: any EventStore
    /// Of the node: shards load together.
    let loads: LoadQueue
    let configuration: RuntimeConfiguration
    let clock: any WallClock
    let queue: ShardQueue
    package let gate: ShardGate
    let arm: TimerArm
    let watch: ClockWatch
    package let entitlements: EntitlementTable
    let census: ShardCensus
    /// Takes shards whose subscriptions are to be counted.
    let uncounted: AsyncStream<ShardID>.Continuation
    /// Of the node; nil where Apple cannot be asked.
    let doubts: (any DoubtListener)?
    /// Of the node: what people want to be moved.
    let moves: ShardMoves
    /// Of the node.
    let comparing: any ShardComparing
    /// Of this shard's traffic.
    package let metrics: ShardMetrics
    /// Of the node.
    let totals: RuntimeMetrics
    let logger: Logger

    init(
        shard: ShardID, isAssigned: Bool?, store: any EventStore, loads: LoadQueue,
        configuration: RuntimeConfiguration, clock: any WallClock, queue: ShardQueue, gate: ShardGate, arm: TimerArm,
        watch: ClockWatch, entitlements: EntitlementTable, census: ShardCensus,
        uncounted: AsyncStream<ShardID>.Continuation, doubts: (any DoubtListener)?, moves: ShardMoves,
        comparing: any ShardComparing, metrics: ShardMetrics, totals: RuntimeMetrics, logger: Logger
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
        self.doubts = doubts
        self.moves = moves
        self.comparing = comparing
        self.metrics = metrics
        self.totals = totals
        self.logger = logger
    }

    /// This node answers for the shard; for others it asks their owners.
    package var isOurs: Bool { self.isAssigned ?? (self.gate.epoch != nil) }
}
