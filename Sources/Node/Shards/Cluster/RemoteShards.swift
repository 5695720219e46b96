import Clustering
import Distributed
package import EventLog
import Ownership
package import ServiceContract
import Subscriptions
import Synchronization
import WireProtocol

/// The shards that other nodes own, as their owners answer for them.
package final class RemoteShards: Sendable {
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
    private let headers: HeaderCache
    /// By shard number: hashes of the header segments that its owner has been sent.
    private let known: Mutex<[[[UInt8]]]>

    /// - Parameter byteLimit: so much may wait for the batches of all shards together.
    init(system: ClusterSystem, map: ShardHash, headers: HeaderCache, byteLimit: Int) {
        self.system = system
        self.headers = headers
        self.known = Mutex(Array(repeating: [], count: map.shardCount))
        let traffic = BatchTraffic(busyFrom: Self.manyBatches, byteLimit: byteLimit)
        self.batchers = map.shards.map { shard in
            CommandBatcher(
                batchesInFlight: Self.batchesInFlight, batchLimit: Self.batchLimit, traffic: traffic
            ) { batch in
                try await Self.send(batch, to: Self.actor(of: shard, in: system))
            }
        }
    }

    private static func actor(of shard: ShardID, in system: ClusterSystem) throws -> ShardEndpoint {
        try ShardEndpoint.resolve(id: ShardActorID(shard: shard), using: system)
    }

    private static func send(_ batch: CommandBatch, to shard: ShardEndpoint) async throws -> [[UInt8]] {
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
        let number = Int(shard.rawValue)
        let hashes = submission.evidence?.headers.map(self.headers.hash) ?? []
        if !hashes.isEmpty, self.known.withLock({ known in hashes.allSatisfy(known[number].contains) }) {
            let outcome = try await self.outcome(of: submission.wireBytes(naming: hashes), number)
            guard outcome == .unreadable else { return outcome }
            // Its owner is another by now, or has met many others since.
            self.known.withLock { $0[number] = [] }
        }
        let outcome = try await self.outcome(of: submission.wireBytes(), number)
        switch outcome {
        case .recorded, .duplicate:
            self.known.withLock { known in
                let others = known[number].filter { !hashes.contains($0) }
                known[number] = Array((hashes + others).prefix(Self.knownLimit))
            }
        case .refused: break
        }
        return outcome
    }

    /// Of each shard.
    private static let knownLimit = 8

    private func outcome(of bytes: [UInt8], _ shard: Int) async throws -> SubmissionOutcome {
        try SubmissionOutcome(wireBytes: try await self.batchers[shard].submit(bytes))
    }

    /// The owner's read index (Raft's term): what the store shows afterwards is not older.
    func head(of shard: ShardID) async throws -> Position {
        try await Self.actor(of: shard, in: self.system).head().position(in: shard)
    }

    func move(_ shard: ShardID, to node: NodeID) async throws {
        try await Self.actor(of: shard, in: self.system).move(ShardMove(to: node))
    }

    /// - Parameter deadline: Apple's limits may make it wait long.
    func compare(
        _ comparison: ShardComparison, of shard: ShardID, until deadline: ContinuousClock.Instant
    ) async throws -> ShardComparisonResult {
        try await ClusterSystem.$deadline.withValue(deadline) {
            try await Self.actor(of: shard, in: self.system).compare(comparison)
        }
    }

    package func check(_ requests: [CheckRequest], of shard: ShardID) async throws -> ShardVerdicts {
        let verdicts = try await Self.actor(of: shard, in: self.system).check(ShardChecks(requests))
        guard verdicts.results.count == requests.count else {
            throw ClusterError(.malformed, "the owner of a shard did not answer every check")
        }
        return verdicts
    }
}
