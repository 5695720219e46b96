import Clustering
import Distributed
import EventSourcing
import Sharding
import Subscriptions
import WireProtocol

/// The shards that other nodes own, as their owners answer for them.
final class RemoteShards: Sendable {
    /// So many batches for one shard are under way, and so many commands are in one.
    private static let batchesInFlight = 2
    private static let batchLimit = 256
    /// While so many batches are under way, for whatever shards, one is for each.
    private static let manyBatches = 128
    /// For how long a command is repeated whose outcome nobody knows: its dedup key makes a repetition harmless.
    private static let patience = Duration.seconds(10)
    private static let pause = Duration.milliseconds(50)

    private let system: ClusterSystem
    /// By shard number.
    private let batchers: [CommandBatcher]

    init(system: ClusterSystem, map: ShardMap) {
        self.system = system
        let traffic = BatchTraffic(busyFrom: Self.manyBatches)
        self.batchers = map.shards.map { shard in
            CommandBatcher(
                batchesInFlight: Self.batchesInFlight, batchLimit: Self.batchLimit, traffic: traffic
            ) { batch in
                try await Self.send(batch, to: Self.actor(of: shard, in: system))
            }
        }
    }

    private static func actor(of shard: ShardID, in system: ClusterSystem) throws -> SubscriptionShard {
        try SubscriptionShard.resolve(id: ShardActorID(shard: shard), using: system)
    }

    private static func send(_ batch: CommandBatch, to shard: SubscriptionShard) async throws -> [[UInt8]] {
        let deadline = ContinuousClock.now + Self.patience
        return try await ClusterSystem.$deadline.withValue(deadline) {
            while true {
                do {
                    return try await shard.submit(batch).all()
                } catch let error as ClusterError where error.code == .connectionLost && .now + Self.pause < deadline {
                    // The commands of others are in it too: a task of its own is not cancelled with this one.
                    await Task { _ = try? await Task.sleep(for: Self.pause) }.value
                }
            }
        }
    }

    func submit(_ submission: Submission, to shard: ShardID) async throws -> SubmissionOutcome {
        let outcome = try await self.batchers[Int(shard.rawValue)].submit(submission.wireBytes())
        return try SubmissionOutcome(wireBytes: outcome)
    }

    /// The owner's read index (Raft's term): what the store shows afterwards is not older.
    func head(of shard: ShardID) async throws -> Position {
        try await Self.actor(of: shard, in: self.system).head().position(in: shard)
    }

    func move(_ shard: ShardID, to node: NodeID) async throws {
        try await Self.actor(of: shard, in: self.system).move(ShardMove(to: node))
    }

    func check(_ requests: [CheckRequest], of shard: ShardID) async throws -> ShardVerdicts {
        let verdicts = try await Self.actor(of: shard, in: self.system).check(ShardChecks(requests))
        guard verdicts.results.count == requests.count else {
            throw ClusterError(.malformed, "the owner of a shard did not answer every check")
        }
        return verdicts
    }
}
