import Clustering
import Distributed
import EventLog
import Foundation
import InMemoryStore
import Logging
import Ownership
import Synchronization
import WireProtocol
import ZeroMQ

/// Two nodes in this process: one calls, and the other owns all shards and gives each command back as its outcome.
struct RemotePair: Sendable {
    static let shardCount = 256

    private let caller: ClusterSystem

    /// Runs both nodes meanwhile.
    static func run<Value: Sendable>(_ body: (RemotePair) async throws -> Value) async throws -> Value {
        guard let map = ShardHash(shardCount: Self.shardCount) else { throw BenchmarkError("no map of shards") }
        let store = InMemoryEventStore(shardCount: Self.shardCount)
        let target = CallContract.Target(1, try await self.identifier(map), isOrdered: true, usesInbox: true)
        let contract = CallContract(targets: [target])
        let nodes = try ["caller", "owner"].map { name in
            let configuration = ClusterConfiguration(
                node: NodeID(rawValue: name), incarnation: Incarnation(rawValue: .random(in: .min ... .max)),
                bind: "tcp://127.0.0.1:*", keys: try CurveKeyPair())
            let node = try ClusterNode(
                configuration: configuration, store: store, contract: contract, logger: Logger(label: name))
            return (node: node, system: ClusterSystem(shardMap: map, contract: contract, transport: node))
        }
        let owner = nodes[1].system
        let actors = map.shards.map { shard in
            ClusterSystem.assigning(ShardActorID(shard: shard)) { EchoShard(actorSystem: owner) }
        }
        defer { withExtendedLifetime(actors) {} }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for (node, system) in nodes { group.addTask { try await node.run(serving: system) } }
            defer { group.cancelAll() }
            for (node, _) in nodes {
                guard let record = await node.registration() else { throw BenchmarkError("a node cannot listen") }
                try store.register(record)
                guard record.id.rawValue == "owner" else { continue }
                let claim = ShardClaim(map.shards, for: .init(node: record.id, incarnation: record.incarnation))
                for owned in store.claim(claim) {
                    owner.serve(owned.shard, under: owned.epoch, inbox: EchoShard.echo)
                }
            }
            for (node, _) in nodes { await node.refreshMembership() }
            return try await body(RemotePair(caller: nodes[0].system))
        }
    }

    /// As many callers send one command after the other.
    /// - Returns: how many commands had their outcome.
    func exchange(size: Int, shards: Int, callers: Int, for duration: Duration) async throws -> Int {
        let command = [UInt8](repeating: 7, count: size)
        let traffic = BatchTraffic(busyFrom: 128)
        let batchers = try (0..<shards).map { shard in
            let owner = try EchoShard.resolve(
                id: ShardActorID(shard: ShardID(rawValue: UInt16(shard))), using: self.caller)
            return CommandBatcher(batchesInFlight: 2, batchLimit: 256, traffic: traffic) {
                try await owner.submit($0).all()
            }
        }
        let end = ContinuousClock.now + duration
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var count = 0
                    // Looking at the clock costs as much as part of a command.
                    while count & 7 != 0 || .now < end {
                        let outcome = try await batchers[(caller &+ count) % shards].submit(command)
                        guard outcome.count == size else { throw BenchmarkError("a command came back changed") }
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }

    // MARK: The name of the function

    private static func identifier(_ map: ShardHash) async throws -> String {
        let capture = Capture()
        let system = ClusterSystem(shardMap: map, transport: capture)
        _ = try? await EchoShard.resolve(id: ShardActorID(shard: map.shards[0]), using: system)
            .submit(CommandBatch([]))
        return capture.target.withLock { $0 }
    }

    private final class Capture: InvocationTransport {
        let target = Mutex("")

        func call(_ invocation: Invocation, on id: ShardActorID) async throws -> InvocationReply {
            self.target.withLock { $0 = invocation.target }
            throw ClusterError(.notOwner, "nobody is there")
        }
    }
}
