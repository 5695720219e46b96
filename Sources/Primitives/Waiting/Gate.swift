import Synchronization

/// Lets a few through at a time; a bounded number waits in order, so that those who are held up here never take all
/// places elsewhere. Waiting cannot be cancelled: what happens inside ends by itself.
package final class Gate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let state: Mutex<State>

    private let maximumWaiting: Int

    package init(limit: Int, maximumWaiting: Int = 1_024) {
        self.state = Mutex(State(free: limit))
        self.maximumWaiting = maximumWaiting
    }

    /// How many are held up now.
    package var waiting: Int { self.state.withLock { $0.waiting.count } }

    /// False when too many are waiting; otherwise `leave()` is due.
    package func enter() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = self.state.withLock { state -> Bool? in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                guard state.waiting.count < self.maximumWaiting else { return false }
                state.waiting.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Hands the place to who has waited longest.
    package func leave() {
        let next = self.state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: true)
    }
}
