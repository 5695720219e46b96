import DequeModule
import Synchronization

/// The ordered calls of one shard, as they came. One task works them off, and ends when there are none.
final class Lane: Sendable {
    private struct State {
        var waiting: Deque<ServedCall> = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Nothing waits or runs; only `append(_:)` changes that.
    var isIdle: Bool { self.state.withLock { !$0.isRunning } }

    /// true when nobody works the lane off: the caller has to see to it.
    func append(_ call: ServedCall) -> Bool {
        self.state.withLock { state in
            state.waiting.append(call)
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    /// nil at the end: from then on the lane needs a new task.
    func next() -> ServedCall? {
        self.state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.waiting.popFirst()
        }
    }
}
