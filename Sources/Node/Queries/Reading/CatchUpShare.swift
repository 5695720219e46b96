import ServiceContract
import ServiceLifecycle
import Synchronization

/// Bounds what all listeners together take who read the log each for himself: one round at a time, and after it a rest as
/// long as the round. So they have half a thread at most, however many they are, and each its turn.
final class CatchUpShare: Sendable {
    private struct State {
        var isTaken = false
        /// In the order of their coming.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// A store that does not answer keeps the others waiting long enough.
    private static let longestRest = Duration.seconds(1)

    private let state = Mutex(State())

    func round<Result>(_ work: () async throws -> Result) async throws -> Result {
        await self.enter()
        defer { self.leave() }
        guard !Task.isShuttingDownGracefully else { throw ServiceError(.stopping, "the node is shutting down") }
        let start = ContinuousClock.now
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        try? await Task.sleep(for: min(.now - start, Self.longestRest))
        return try result.get()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let mustWait = self.state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return state.isTaken
            }
            if !mustWait { continuation.resume() }
        }
    }

    private func leave() {
        let next = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
