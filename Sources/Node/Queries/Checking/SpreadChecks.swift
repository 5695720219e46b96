import Clustering
import EventLog
import Ownership
import ServiceContract
import Shards

/// Checks of one request whose shards several nodes own: each owner answers for its own, all at the same time.
struct SpreadChecks: Sendable {
    private let requests: [CheckRequest]
    private let remote: RemoteShards
    private let ours: [Int]
    private let others: [(shard: ShardID, numbers: [Int])]

    init(_ questions: CheckQuestions, remote: RemoteShards, positions: PositionGuard) {
        var ours: [Int] = []
        var others: [(shard: ShardID, numbers: [Int])] = []
        questions.order.forEach { shard, numbers in
            if positions.shards[Int(shard.rawValue)].isOurs {
                ours += numbers
            } else {
                others.append((shard, Array(numbers)))
            }
        }
        self.requests = questions.requests
        self.remote = remote
        self.ours = ours
        self.others = others
    }

    /// - Parameters:
    ///   - patience: for so long another node is waited for; nil for as long as a call may take.
    ///   - own: answers for the shards of this node.
    func answers(
        atLeast bounds: [Position], for patience: Duration?,
        own: @escaping @Sendable ([CheckRequest]) async -> PartialAnswers
    ) async -> PartialAnswers {
        if self.others.isEmpty { return await own(self.requests) }
        return await withTaskGroup(of: (PartialAnswers, [Int]).self) { group in
            if !self.ours.isEmpty {
                group.addTask { (await own(self.ours.map { self.requests[$0] }), self.ours) }
            }
            for (shard, numbers) in self.others {
                let bound = bounds.first { $0.shard == shard }
                // An owner that is stopped keeps its connections for a while.
                let deadline = patience.map { ContinuousClock.now + $0 }
                group.addTask {
                    let requests = numbers.map { self.requests[$0] }
                    return (await self.ask(requests, of: shard, atLeast: bound, until: deadline), numbers)
                }
            }
            var answers = PartialAnswers(count: self.requests.count)
            for await (part, numbers) in group { answers.take(part, to: numbers) }
            return answers
        }
    }

    private func ask(
        _ requests: [CheckRequest], of shard: ShardID, atLeast bound: Position?,
        until deadline: ContinuousClock.Instant?
    ) async -> PartialAnswers {
        do throws(ServiceError) {
            let verdicts = try await PositionWait.wait { () async throws(ServiceError) -> ShardVerdicts? in
                let verdicts = try await ServiceError.translating {
                    try await ClusterSystem.$deadline.withValue(deadline) {
                        try await self.remote.check(requests, of: shard)
                    }
                }
                guard let bound, verdicts.head.sequence < bound.sequence else { return verdicts }
                return nil
            }
            return PartialAnswers(verdicts.results, heads: [verdicts.head.position(in: shard)])
        } catch {
            return PartialAnswers(error, count: requests.count)
        }
    }
}
