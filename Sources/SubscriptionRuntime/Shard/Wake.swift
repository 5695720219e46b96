import Synchronization

/// Lets one task sleep until another says that there is something to look at. A signal that comes early is kept.
final class Wake: Sendable {
    private struct State {
        var isSignalled = false
        var sleeper: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func signal() {
        self.state.withLock { state in
            state.isSignalled = true
            return state.sleeper.take()
        }?.resume()
    }

    /// Returns at a signal, and not when the task is cancelled: whoever waits here has promises to keep. One task at a
    /// time.
    func wait() async {
        await withCheckedContinuation { self.sleep($0) }
        self.state.withLock { $0.isSignalled = false }
    }

    /// Returns at a signal, or when the task is cancelled.
    func waitUnlessCancelled() async {
        await withTaskCancellationHandler {
            await self.wait()
        } onCancel: {
            self.signal()
        }
    }

    private func sleep(_ sleeper: CheckedContinuation<Void, Never>) {
        let isAwake = self.state.withLock { state in
            if !state.isSignalled { state.sleeper = sleeper }
            return state.isSignalled
        }
        if isAwake { sleeper.resume() }
    }
}
