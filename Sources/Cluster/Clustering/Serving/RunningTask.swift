import Synchronization

/// A task that may be cancelled from elsewhere for as long as it says so. What a cancellation sets off runs at once and on
/// the spot, so the lock held meanwhile is one that nobody else takes.
final class RunningTask: Sendable {
    /// Only `cancel()` is called, which any thread may do; under the lock, and not after the task has taken itself out.
    private struct Current: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private let current: Mutex<Current?>

    /// Of the task that makes it, which has to call `end()` before it ends.
    init() { self.current = Mutex(withUnsafeCurrentTask { task in task.map(Current.init) }) }

    func cancel() { self.current.withLock { $0?.task.cancel() } }

    func end() { self.current.withLock { $0 = nil } }
}
