import Dispatch
import Synchronization

/// Ends the pauses of a thread.
final class StopSignal: Sendable {
    private let isGiven = Mutex(false)
    private let semaphore = DispatchSemaphore(value: 0)

    var hasCome: Bool { self.isGiven.withLock { $0 } }

    func give() {
        self.isGiven.withLock { $0 = true }
        self.semaphore.signal()
    }

    /// Blocks until `duration` has passed or the signal has come.
    func wait(atMost duration: Duration) {
        guard !self.hasCome, duration > .zero else { return }
        _ = self.semaphore.wait(timeout: .now() + duration / .seconds(1))
    }
}
