import EventLog
import ServiceContract
import Synchronization

/// Moves that people want, for the ownership controller to make.
final class ShardMoves: Sendable {
    struct Request: Sendable {
        let shard: ShardID
        let node: NodeID
        fileprivate let waiter: CheckedContinuation<Result<Void, ServiceError>, Never>

        func end(_ result: Result<Void, ServiceError>) { self.waiter.resume(returning: result) }
    }

    private enum State {
        /// Who is woken by a request; nil before there is anybody.
        case open([Request], wake: (@Sendable () -> Void)?)
        case closed(ServiceError)
    }

    private let state: Mutex<State>

    /// - Parameter refusal: why nothing can be moved here, if so.
    init(refusal: ServiceError?) { self.state = Mutex(refusal.map(State.closed) ?? .open([], wake: nil)) }

    /// Returns once the shard's row names `node`.
    func request(_ shard: ShardID, to node: NodeID) async throws(ServiceError) {
        try await withCheckedContinuation { waiter in
            let request = Request(shard: shard, node: node, waiter: waiter)
            let wake: (@Sendable () -> Void)?
            switch self.add(request) {
            case .success(let found): wake = found
            case .failure(let refusal):
                request.end(.failure(refusal))
                wake = nil
            }
            wake?()
        }.get()
    }

    private func add(_ request: Request) -> Result<(@Sendable () -> Void)?, ServiceError> {
        self.state.withLock { state in
            switch state {
            case .open(let requests, let wake):
                state = .open(requests + [request], wake: wake)
                return .success(wake)
            case .closed(let refusal): return .failure(refusal)
            }
        }
    }

    // MARK: Told by the ownership controller

    func onRequest(_ wake: @escaping @Sendable () -> Void) {
        self.state.withLock { state in
            if case .open(let requests, _) = state { state = .open(requests, wake: wake) }
        }
    }

    /// Taken by nobody yet.
    var waiting: Int {
        self.state.withLock { state in
            if case .open(let requests, _) = state { requests.count } else { 0 }
        }
    }

    /// The oldest.
    func take(atMost limit: Int) -> [Request] {
        self.state.withLock { state in
            guard case .open(let requests, let wake) = state else { return [] }
            state = .open(Array(requests.dropFirst(limit)), wake: wake)
            return Array(requests.prefix(limit))
        }
    }

    /// Nobody waits for a store that is away.
    func refuseAll(_ error: ServiceError) {
        for request in self.take(atMost: .max) { request.end(.failure(error)) }
    }

    func close() {
        let refusal = ServiceError(.stopping, "the node is shutting down")
        let requests = self.state.withLock { state in
            defer { state = .closed(refusal) }
            return if case .open(let requests, _) = state { requests } else { [Request]() }
        }
        for request in requests { request.end(.failure(refusal)) }
    }
}
