import Clustering
package import EventLog
package import Logging
package import Ownership
import ServiceContract
import Subscriptions
package import Waiting

/// The shards of a node with what calls and reads them: made first, so that who answers for a shard can be given to it.
package struct ShardSet: Sendable {
    package let map: ShardHash
    /// By shard number.
    package let parts: [ShardParts]
    package let positions: PositionGuard
    package let watch: ClockWatch
    /// Shared by the tables of all shards.
    package let names: RowNames
    /// It makes all commits to its store.
    package let isAlone: Bool
    /// nil where other nodes make commits as well, and nobody follows them.
    package let customers: CustomerTable?
    /// nil for a node alone.
    let cluster: ClusterNode?
    let system: ClusterSystem
    /// nil where shards are assigned.
    let lease: NodeLease?
    let moves: ShardMoves
    let comparing: any ShardComparing
    let resources: WriterResources
    /// What is known of deleted customers.
    package let tombstones: Tombstones
    /// Writers of shards whose subscriptions are to be counted.
    let uncounted: (stream: AsyncStream<ShardWriter>, continuation: AsyncStream<ShardWriter>.Continuation)
    let leftToDo = LeftToDo()
    /// A commit of this node is durable with a stream that supersedes another one.
    package let successions = AsyncEvent()

    /// - Precondition: the store's shard count is one that a `ShardHash` takes.
    /// - Throws: `ClusterError`.
    package init(
        store: any EventStore, hashing: IdentifierKey, rulebook: Rulebook, configuration: RuntimeConfiguration,
        clock: any WallClock,
        doubts: (any DoubtListener)?, comparing: any ShardComparing, metrics: RuntimeMetrics, logger: Logger
    ) throws {
        guard let map = ShardHash(shardCount: store.identity.shardCount) else {
            preconditionFailure("a store is made with a shard count that a shard map takes")
        }
        let cluster = try configuration.cluster.map {
            try ClusterNode(configuration: $0, store: store, contract: .shards, logger: logger)
        }
        let system = ClusterSystem(
            shardMap: map, contract: .shards, transport: cluster ?? SingleNodeTransport() as any InvocationTransport)
        let headers = HeaderCache()
        let tombstones = Tombstones(store: store, hashing: hashing, logger: logger)
        let names = RowNames()
        let nodeClock = NodeClock()
        let watch = ClockWatch(clock: clock, metrics: metrics, logger: logger)
        // Another process may take the shards of a store that can be shared.
        self.isAlone = !(store is any SharedEventStore) && configuration.cluster == nil && configuration.shards == nil
        let customers =
            self.isAlone || configuration.mirror != nil
            ? CustomerTable(limit: configuration.customersInMemory, isFollowed: self.isAlone) : nil
        self.customers = customers
        let parts = map.shards.map { shard in
            let queue = ShardQueue(
                countLimit: configuration.commandsPerShard, byteLimit: configuration.commandBytesPerShard,
                batchLimit: configuration.commandsPerBatch, headers: headers, tombstones: tombstones)
            return ShardParts(
                shard: shard,
                isAssigned: configuration.lease == nil ? configuration.shards?.contains(shard) ?? true : nil,
                queue: queue, status: ShardStatus(of: shard, clock: nodeClock, queue: queue, cluster: system),
                entitlements: EntitlementTable(limit: configuration.entitlementsPerShard, names: names),
                customers: customers)
        }
        let lease = configuration.lease.map { NodeLease(terms: $0, clock: nodeClock) }
        self.positions = PositionGuard(
            store: store, shards: parts,
            remote: configuration.cluster.map {
                RemoteShards(system: system, map: map, headers: headers, byteLimit: $0.callBytes)
            },
            lease: lease, guards: configuration.guards)
        self.map = map
        self.parts = parts
        self.watch = watch
        self.names = names
        self.cluster = cluster
        self.system = system
        self.lease = lease
        self.moves = ShardMoves(
            refusal: configuration.lease == nil
                ? ServiceError(.invalidRequest, "shards are assigned to nodes here, and do not move") : nil)
        self.comparing = comparing
        self.tombstones = tombstones
        self.uncounted = AsyncStream.makeStream(of: ShardWriter.self)
        self.resources = WriterResources(
            loads: LoadQueue(store: store, map: map), configuration: configuration,
            links: LinkJudge(configuration.customers, hashing), rulebook: rulebook, clock: clock, watch: watch,
            doubts: doubts, uncounted: self.uncounted.continuation, map: map, leftToDo: self.leftToDo,
            successions: self.successions, metrics: metrics,
            logger: logger)
    }
}
