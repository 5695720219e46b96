import Clustering
import Distributed
import Entitlements
package import EventLog
package import Logging
import Ownership
package import ServiceContract
import Subscriptions
import Synchronization
import Waiting
import WireProtocol

/// All shards of this process with their group committer: runs and stops them.
package final class ShardNode: Sendable {
    package let router: ShardRouter
    package let id: NodeID
    package let featureLevel: FeatureLevel

    /// By shard number.
    private let parts: [ShardParts]
    private let cluster: ClusterNode?
    private let incarnation: Incarnation
    private let system: ClusterSystem
    /// Of the shards that this node may own.
    private let writers: [ShardWriter]
    /// Of the same. The cluster system finds them as long as they are kept here.
    private let endpoints: [ShardEndpoint]
    private let committer: GroupCommitter
    private let nodeWatch: NodeWatch
    /// nil where shards are assigned.
    private let controller: OwnershipController?
    private let inbox: HintedHandoff
    private let uncounted: (stream: AsyncStream<ShardWriter>, continuation: AsyncStream<ShardWriter>.Continuation)
    private let logger: Logger
    private let isStopping = Mutex(false)
    /// Why this node may own nothing any more, though nothing of it went wrong.
    private let retirement = Mutex<StoreError?>(nil)

    package init(
        _ shards: ShardSet, answers: any ShardAnswers, store: any EventStore, configuration: RuntimeConfiguration,
        clock: any WallClock, metrics: RuntimeMetrics, logger: Logger
    ) {
        let (parts, system, cluster) = (shards.parts, shards.system, shards.cluster)
        self.parts = parts
        self.system = system
        self.cluster = cluster
        self.uncounted = shards.uncounted
        self.logger = logger
        self.incarnation = configuration.cluster?.incarnation ?? Incarnation(rawValue: .random(in: .min ... .max))
        self.id = configuration.node
        self.featureLevel = configuration.featureLevel
        self.writers = parts.filter { $0.isAssigned ?? true }.map { ShardWriter($0, shards.resources) }
        self.endpoints = self.writers.map { writer in
            ClusterSystem.assigning(ShardActorID(shard: writer.shard)) {
                ShardEndpoint(
                    writer, answers: answers, moves: shards.moves, comparing: shards.comparing, actorSystem: system)
            }
        }
        self.committer = GroupCommitter(
            store: store, shards: self.writers.map(\.shard), byteLimit: configuration.journalBytes,
            statuses: parts.map(\.status), metrics: metrics, logger: logger)
        self.nodeWatch = NodeWatch(store: store, clock: shards.watch, committer: self.committer, logger: logger)
        self.inbox = HintedHandoff(
            store: store, leftToDo: shards.leftToDo, parts: parts, committer: self.committer, clock: clock,
            metrics: metrics, logger: logger)
        self.router = ShardRouter(shards, store: store, inbox: store is any SharedEventStore ? self.inbox : nil)
        guard let terms = configuration.lease, let lease = shards.lease else {
            self.controller = nil
            return
        }
        guard let shared = store as? any SharedEventStore else {
            preconditionFailure("leases are kept in a store that nodes share")
        }
        for writer in self.writers { system.serve(writer.shard, under: nil) }
        self.controller = OwnershipController(
            store: shared, terms: terms, lease: lease, watch: shards.watch, parts: parts, moves: shards.moves,
            committer: self.committer, metrics: metrics, logger: logger
        ) { [weak cluster] in cluster?.watch($0) }
        system.onUnservedCall { [weak controller = self.controller] in controller?.readSoon() }
        cluster?.onProbe { [weak controller = self.controller] in controller?.noteProbe(at: $0, isRefused: $1) }
    }

    package var connections: [NodeID: Bool] { self.cluster?.connections ?? [:] }

    // MARK: Life cycle

    /// Takes the shards and works until `stop()`; then returns when everything accepted is committed and answered.
    /// - Parameter reviewer: looks at customers whose answers may have changed.
    /// - Returns: why the shards could not be taken, or other nodes not be heard, if that ended it.
    package func run(_ reviewer: any CustomerReviewing) async -> (any Error)? {
        guard let cluster = self.cluster else {
            return await self.work(as: NodeRecord(id: self.id, incarnation: self.incarnation), reviewer)
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
            let failure = await self.work(as: record, reviewer)
            // All calls from other nodes are answered: the transport may stop.
            group.cancelAll()
            let end = await group.next() ?? nil
            return failure ?? end
        }
    }

    private func work(as node: NodeRecord, _ reviewer: any CustomerReviewing) async -> StoreError? {
        var node = node
        node.featureLevel = self.featureLevel
        async let watching: Void = self.nodeWatch.run()
        async let keeping = self.keep(node)
        async let applying = self.applyKept(reviewer)
        async let committing = self.committer.run(as: node, takesShards: self.controller == nil)
        async let settling: Void = self.forEachWriter { await $0.settle() }
        async let timing: Void = self.forEachWriter { await $0.timer.run() }
        async let counting: Void = self.count()
        await self.forEachWriter { await $0.decide(into: self.committer) }
        self.uncounted.continuation.finish()
        self.inbox.stop()
        self.committer.close()
        let failure = await committing
        for parts in self.parts { parts.status.news.close() }
        _ = await (settling, timing, counting)
        let inboxFailure = await applying
        self.controller?.stop()
        let end = await keeping
        self.nodeWatch.stop()
        await watching
        // Who retires was taken for dead before, which the last beat may have found.
        return failure ?? inboxFailure ?? self.retirement.withLock(\.self) ?? end
    }

    private func applyKept(_ reviewer: any CustomerReviewing) async -> StoreError? {
        guard let failure = await self.inbox.run(reviewer) else { return nil }
        self.lose(failure)
        return failure
    }

    /// Nothing that this run knows can be believed any more.
    private func lose(_ failure: StoreError) {
        self.committer.lose(failure)
        self.stop()
    }

    private func keep(_ node: NodeRecord) async -> StoreError? {
        guard let controller = self.controller else { return nil }
        let failure = await controller.run(as: node) { reason in
            self.retirement.withLock { $0 = reason }
            self.stop()
        }
        if let failure { self.lose(failure) }
        return failure
    }

    /// Refuses new commands, and lets what is there end.
    package func stop() {
        self.controller?.stopTaking()
        self.isStopping.withLock { $0 = true }
        self.inbox.stop()
        self.committer.stopWaiting()
        for parts in self.parts { parts.status.handle(.closing) }
    }

    private func forEachWriter(_ body: @Sendable @escaping (ShardWriter) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for writer in self.writers { group.addTask { await body(writer) } }
        }
    }

    /// Fills the gauges of subscriptions, one shard after the other, beside the work.
    private func count() async {
        for await writer in self.uncounted.stream where !self.isStopping.withLock({ $0 }) {
            do {
                try await writer.count()
            } catch {
                self.logger.warning(
                    "The subscriptions of a shard could not be counted",
                    metadata: .runtime([.shard: "\(writer.shard.rawValue)", .error: "\(error)"]))
            }
        }
    }

    // MARK: Readiness

    /// Sentences for people; none when the node can do this.
    package func obstacles(to purpose: Readiness.Purpose) -> [String] {
        var obstacles: [String] = []
        let waiting = self.parts.filter { $0.isOurs && !$0.status.isServing }.count
        if waiting > 0 { obstacles.append("\(waiting) of \(self.writers.count) shards cannot be served") }
        if let controller = self.controller, !controller.lease.allowsAnswer {
            obstacles.append("the store has not answered this node for the length of its lease")
        }
        // It keeps answering until it exits, but new requests belong to other nodes.
        if self.isStopping.withLock({ $0 }) { obstacles.append("the node is shutting down") }
        obstacles += self.nodeWatch.obstacles(to: purpose)
        guard purpose == .ingest else { return obstacles }
        if self.committer.isFailing { obstacles.append("the store took no commit lately") }
        return obstacles
    }
}
