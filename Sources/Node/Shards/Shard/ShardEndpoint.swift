package import Clustering
package import Distributed
import EventLog
import ServiceContract
import Subscriptions
package import WireProtocol

/// The address of a shard: what other nodes call. It has no state of its own.
package distributed actor ShardEndpoint {
    package typealias ActorSystem = ClusterSystem

    private let shard: ShardID
    private let writer: ShardWriter
    private let answers: any ShardAnswers
    private let moves: ShardMoves
    private let comparing: any ShardComparing

    init(
        _ writer: ShardWriter, answers: any ShardAnswers, moves: ShardMoves, comparing: any ShardComparing,
        actorSystem: ClusterSystem
    ) {
        self.shard = writer.shard
        self.writer = writer
        self.answers = answers
        self.moves = moves
        self.comparing = comparing
        self.actorSystem = actorSystem
    }

    /// Takes `Submission`s in their order. The outcome of each is there once it is durable, or refused. The callers may
    /// give up waiting; the commands go on.
    package distributed func submit(_ batch: CommandBatch) -> EventualOutcomes { self.writer.enqueue(batch) }

    /// Who is entitled, now.
    /// - Throws: `ServiceError` while the shard must not answer.
    package distributed func check(_ checks: ShardChecks) async throws -> ShardVerdicts {
        try await self.answers.answer(checks.requests, of: self.shard)
    }

    /// The newest durable event.
    /// - Throws: `ServiceError` while the shard must not answer.
    package distributed func head() async throws -> ShardHead {
        ShardHead(try await self.answers.ownHead(of: self.shard))
    }

    /// Makes another node the owner of the shard.
    /// - Throws: `ServiceError` when that node does not live, or shards are assigned.
    package distributed func move(_ move: ShardMove) async throws {
        try await self.moves.request(self.shard, to: move.node)
    }

    /// Compares subscriptions of the shard with Apple's answers, for a few seconds.
    /// - Throws: `ServiceError` while the shard is not served here, or Apple is not asked.
    package distributed func compare(_ comparison: ShardComparison) async throws -> ShardComparisonResult {
        try await self.comparing.compare(comparison, of: self.shard)
    }
}
