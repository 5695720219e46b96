import Synchronization

/// Lets one task sleep until another says that there is something to look at. A signal that comes early is kept.
package final class AsyncEvent: Sendable {
    private struct State {
        var isSignalled = false
        var sleeper: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    package func signal() {
        self.state.withLock { state in
            state.isSignalled = true
            return state.sleeper.take()
        }?.resume()
    }

    /// Returns at a signal, and not when the task is cancelled: whoever waits here has promises to keep. One task at a
    /// time.
    package func wait() async {
        await withCheckedContinuation { self.sleep($0) }
        self.state.withLock { $0.isSignalled = false }
    }

    /// Returns at a signal, or when the task is cancelled.
    package func waitUnlessCancelled() async {
        await withTaskCancellationHandler {
            await self.wait()
        } onCancel: {
            self.signal()
        }
    }

    /// Returns at a signal, when the task is cancelled, or once `duration` has passed.
    package func wait(atMost duration: Duration) async {
        await withTaskGroup { group in
            group.addTask { try? await Task.sleep(for: duration) }
            group.addTask { await self.waitUnlessCancelled() }
            await group.next()
            group.cancelAll()
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
