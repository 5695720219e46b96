import Clustering
import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import Synchronization
import ZeroMQ

/// Nodes in this process that share a store in memory, and talk over sockets.
final class TestCluster: Sendable {
    static let shardCount = 16

    let store = InMemoryEventStore(shardCount: TestCluster.shardCount)
    let map = ShardHash(shardCount: TestCluster.shardCount)!
    let contract: CallContract
    let log = LogLines()
    private let nodes = Mutex<[TestNode]>([])

    private init(_ contract: CallContract) { self.contract = contract }

    /// Stops all nodes afterwards.
    static func run<Value>(_ body: (TestCluster) async throws -> Value) async throws -> Value {
        let cluster = TestCluster(await Contract.make())
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(cluster))
        } catch {
            result = .failure(error)
        }
        for node in cluster.nodes.withLock({ $0 }) { await node.stop() }
        return try result.get()
    }

    /// Not registered yet.
    func make(
        _ name: String, keys: CurveKeyPair? = nil, bind: String = "tcp://127.0.0.1:*",
        _ change: (inout ClusterConfiguration) -> Void = { _ in }
    ) throws -> TestNode {
        var configuration = ClusterConfiguration(
            node: NodeID(rawValue: name), incarnation: Incarnation(rawValue: .random(in: .min ... .max)), bind: bind,
            keys: try keys ?? CurveKeyPair())
        // A machine that does several things at a time must not make a test fail.
        configuration.callTimeout = .seconds(60)
        configuration.heartbeatTimeout = .seconds(60)
        configuration.connectPatience = .seconds(600)
        configuration.ownerPatience = .seconds(600)
        change(&configuration)
        let node = try TestNode(configuration, in: self)
        self.nodes.withLock { $0.append(node) }
        return node
    }

    /// Listens, is registered, owns shards, and everybody knows.
    func start(
        _ name: String, owning shards: [UInt16] = [], keys: CurveKeyPair? = nil, bind: String = "tcp://127.0.0.1:*",
        _ change: (inout ClusterConfiguration) -> Void = { _ in }
    ) async throws -> TestNode {
        let node = try self.make(name, keys: keys, bind: bind, change)
        guard let record = await node.node.registration() else {
            throw ClusterError(.unavailable, "\(name) does not listen")
        }
        try self.store.register(record)
        node.own(shards, in: self)
        await self.refresh()
        return node
    }

    /// Lists a run with a key of its own, for a peer that is no node.
    func list(_ name: String, incarnation: Int64 = 77) async throws -> (record: NodeRecord, keys: CurveKeyPair) {
        let keys = try CurveKeyPair()
        let record = NodeRecord(
            id: NodeID(rawValue: name), incarnation: Incarnation(rawValue: incarnation), curveKeys: [keys.publicKey])
        try self.store.register(record)
        await self.refresh()
        return (record, keys)
    }

    /// Every node reads the node table.
    func refresh() async { for node in self.nodes.withLock({ $0 }) { await node.node.refreshMembership() } }
}
