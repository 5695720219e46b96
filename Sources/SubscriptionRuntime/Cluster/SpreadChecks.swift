import EventSourcing
import Sharding

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

    /// - Parameter own: answers for the shards of this node.
    func answer(
        _ requests: [CheckRequest], atLeast: String?,
        own: @escaping @Sendable ([CheckRequest]) async throws -> (response: CheckResponse, heads: [Position])
    ) async throws -> CheckResponse {
        let bounds = try atLeast.map(self.positions.positions) ?? []
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
                    .remote(try await self.ask(numbers.map { requests[$0] }, of: shard, atLeast: bound), shard, numbers)
                }
            }
            var results = [CheckResult](repeating: .verdict(.unknown), count: requests.count)
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
        _ requests: [CheckRequest], of shard: ShardID, atLeast bound: Position?
    ) async throws -> ShardVerdicts {
        try await CatchingUp.wait { () throws(ServiceError) in
            let verdicts = try await ServiceError.translating { try await self.remote.check(requests, of: shard) }
            guard let bound, verdicts.head.sequence < bound.sequence else { return verdicts }
            return nil
        }
    }
}
