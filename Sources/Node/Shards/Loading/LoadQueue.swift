import EventLog
import Ownership
import Subscriptions
import Synchronization

/// Group commit, the other way round: while one read of the store is under way, what other shards have to know gathers
/// for the next. The first to come reads for all who wait, and hands the task on.
final class LoadQueue: Sendable {
    private enum Turn: Sendable {
        case answered(Result<LoadAnswer, StoreError>)
        /// Read, for yourself and whoever waits.
        case read
    }

    private struct Waiting {
        var request: LoadRequest
        var waiter: CheckedContinuation<Turn, Never>
    }

    private struct State {
        var isReading = false
        var waiting: [Waiting] = []
    }

    let store: any EventStore
    private let map: ShardHash
    private let state = Mutex(State())

    init(store: any EventStore, map: ShardHash) {
        self.store = store
        self.map = map
    }

    func load(_ request: LoadRequest) async throws(StoreError) -> LoadAnswer {
        guard !request.isEmpty else { return LoadAnswer() }
        switch await self.turn(request) {
        case .answered(let answer): return try answer.get()
        case .read: return try await self.read(request).get()
        }
    }

    /// The stream rows under these keys, whichever shards they are of.
    func rows(of keys: [StreamKey]) async throws -> [(shard: ShardID, row: StreamRow)] {
        var requests: [ShardID: LoadRequest] = [:]
        for key in keys {
            let shard = self.map.shard(of: key.id)
            requests[shard, default: LoadRequest(shard: shard)].keys.append(key.bytes)
        }
        return try await withThrowingTaskGroup(of: [(ShardID, StreamRow)].self) { group in
            for request in requests.values {
                group.addTask { try await self.load(request).streams.map { (request.shard, $0) } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func turn(_ request: LoadRequest) async -> Turn {
        await withCheckedContinuation { waiter in
            let isFirst = self.state.withLock { state in
                defer { state.isReading = true }
                if state.isReading { state.waiting.append(Waiting(request: request, waiter: waiter)) }
                return !state.isReading
            }
            if isFirst { waiter.resume(returning: .read) }
        }
    }

    private func read(_ own: LoadRequest) async -> Result<LoadAnswer, StoreError> {
        let others = self.state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        var answers = await self.answers(to: [own] + others.map(\.request))
        let answer = answers.removeFirst()
        for (other, answer) in zip(others, answers) { other.waiter.resume(returning: .answered(answer)) }
        let next = self.state.withLock { state in
            state.isReading = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        if let next { next.waiter.resume(returning: .read) }
        return answer
    }

    /// A damaged row is the trouble of its own shard alone: then they are tried one by one.
    private func answers(to requests: [LoadRequest]) async -> [Result<LoadAnswer, StoreError>] {
        do {
            return try await self.store.load(requests).map { .success($0) }
        } catch {
            guard requests.count > 1, error.code == .corrupt else { return requests.map { _ in .failure(error) } }
            var answers: [Result<LoadAnswer, StoreError>] = []
            for request in requests { answers += await self.answers(to: [request]) }
            return answers
        }
    }
}
