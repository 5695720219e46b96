import Clustering
import EventSourcing
import Sharding
import Subscriptions

/// Checks of one request whose shards several nodes own: each owner answers for its own, all at the same time.
struct SpreadChecks: Sendable {
    private let order: ShardOrder
    private let remote: RemoteShards
    private let positions: PositionGuard

    init(_ order: ShardOrder, remote: RemoteShards, positions: PositionGuard) {
        self.order = order
        self.remote = remote
        self.positions = positions
    }

    private enum Part: Sendable {
        case ours(CheckResponse, [Position])
        case remote(ShardVerdicts, ShardID, [Int])
    }

    typealias Answer = (response: CheckResponse, heads: [Position])

    /// - Parameters:
    ///   - stored: answers for a shard whose owner cannot be had, where that is allowed.
    ///   - own: answers for the shards of this node.
    func answer(
        _ requests: [CheckRequest], atLeast bounds: [Position],
        stored: (@Sendable ([CheckRequest]) async throws -> Answer)? = nil,
        own: @escaping @Sendable ([CheckRequest]) async throws -> Answer
    ) async throws -> CheckResponse {
        var ours: [Int] = []
        var others: [(shard: ShardID, numbers: [Int])] = []
        self.order.forEach { shard, numbers in
            if self.positions.shards[Int(shard.rawValue)].isOurs {
                ours += numbers
            } else {
                others.append((shard, Array(numbers)))
            }
        }
        return try await withThrowingTaskGroup(of: Part.self) { [ours] group in
            group.addTask {
                let (response, heads) = try await own(ours.map { requests[$0] })
                return .ours(response, heads)
            }
            for (shard, numbers) in others {
                let bound = bounds.first { $0.shard == shard }
                group.addTask {
                    let requests = numbers.map { requests[$0] }
                    // An owner that is stopped keeps its connections for a while.
                    let deadline = stored == nil ? nil : ContinuousClock.now + PositionGuard.patience
                    do {
                        let verdicts = try await self.ask(requests, of: shard, atLeast: bound, until: deadline)
                        return .remote(verdicts, shard, numbers)
                    } catch let error as ServiceError {
                        guard let stored, error.code.saysOwnerIsAbsent else { throw error }
                        let (response, heads) = try await stored(requests)
                        let verdicts = ShardVerdicts(head: ShardHead(heads[0]), results: response.results)
                        return .remote(verdicts, shard, numbers)
                    }
                }
            }
            var results = [CheckResult](repeating: .verdict(.unknown(.subscription)), count: requests.count)
            var heads: [Position] = []
            var answer: CheckResponse?
            for try await part in group {
                switch part {
                case .ours(let response, let positions):
                    for (number, result) in zip(ours, response.results) { results[number] = result }
                    heads += positions
                    answer = response
                case .remote(let verdicts, let shard, let numbers):
                    for (number, result) in zip(numbers, verdicts.results) { results[number] = result }
                    heads.append(verdicts.head.position(in: shard))
                }
            }
            guard var answer else { preconditionFailure("the part of this node is always there") }
            answer.results = results
            answer.token = self.positions.token(heads.sorted { $0.shard < $1.shard })
            return answer
        }
    }

    private func ask(
        _ requests: [CheckRequest], of shard: ShardID, atLeast bound: Position?,
        until deadline: ContinuousClock.Instant?
    ) async throws -> ShardVerdicts {
        try await CatchingUp.wait { () throws(ServiceError) in
            let verdicts = try await ServiceError.translating {
                try await ClusterSystem.$deadline.withValue(deadline) {
                    try await self.remote.check(requests, of: shard)
                }
            }
            guard let bound, verdicts.head.sequence < bound.sequence else { return verdicts }
            return nil
        }
    }
}
