import Dispatch
import Synchronization

/// Ends the pauses of a thread: to go on sooner, or to stop.
final class ThreadSignal: Sendable {
    private struct State {
        var isStopping = false
        var isAwake = false
    }

    private let state = Mutex(State())
    private let semaphore = DispatchSemaphore(value: 0)

    var isStopping: Bool { self.state.withLock { $0.isStopping } }

    func stop() {
        self.state.withLock { $0.isStopping = true }
        self.wake()
    }

    /// Any number of these during one pause, or before it, are one.
    func wake() {
        let isNews = self.state.withLock { state in
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if isNews { self.semaphore.signal() }
    }

    /// Blocks until `duration` has passed or a signal has come.
    func wait(atMost duration: Duration) {
        guard !self.isStopping else { return }
        guard self.semaphore.wait(timeout: .now() + max(.zero, duration) / .seconds(1)) == .success else { return }
        self.state.withLock { $0.isAwake = false }
    }
}
