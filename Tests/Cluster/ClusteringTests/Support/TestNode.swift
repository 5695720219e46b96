import Clustering
import Distributed
import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import Synchronization
import ZeroMQ

/// One run of a node of a `TestCluster`.
final class TestNode: Sendable {
    let configuration: ClusterConfiguration
    let node: ClusterNode
    let system: ClusterSystem
    let journal = Journal()
    private let running: Task<Void, any Error>
    private let workers = Mutex<[Worker]>([])

    init(_ configuration: ClusterConfiguration, in cluster: TestCluster) throws {
        self.configuration = configuration
        let node = try ClusterNode(
            configuration: configuration, store: cluster.store, contract: cluster.contract,
            logger: cluster.log.logger)
        let system = ClusterSystem(shardMap: cluster.map, contract: cluster.contract, transport: node)
        self.node = node
        self.system = system
        self.running = Task { try await node.run(serving: system) }
    }

    var run: ShardRecord.Owner {
        ShardRecord.Owner(node: self.configuration.node, incarnation: self.configuration.incarnation)
    }

    /// Makes and serves workers for these shards, of which this run becomes the owner.
    func own(_ shards: [UInt16], in cluster: TestCluster) {
        for owned in cluster.store.claim(ShardClaim(shards.map(ShardID.init), for: self.run)) {
            let worker = ClusterSystem.assigning(ShardActorID(shard: owned.shard)) {
                Worker(self.journal, actorSystem: self.system)
            }
            self.workers.withLock { $0.append(worker) }
            self.system.serve(owned.shard, under: owned.epoch)
        }
    }

    /// A shard's worker as this node sees it.
    func worker(_ shard: UInt16) throws -> Worker {
        try Worker.resolve(id: ShardActorID(shard: ShardID(rawValue: shard)), using: self.system)
    }

    /// Returns when the run has ended.
    @discardableResult
    func stop() async -> Result<Void, any Error> {
        self.running.cancel()
        return await self.running.result
    }
}
