import Foundation
import Synchronization

/// Ends the pauses of a thread: to go on sooner, or to stop. They are counted by the monotonic clock: a semaphore of Dispatch
/// waits until the wall clock shows a time (`sem_timedwait`), which takes an hour more when that is set back by one.
package final class BlockingEvent: Sendable {
    private struct State {
        var isStopping = false
        /// There is a byte in the pipe.
        var isAwake = false
    }

    private let state = Mutex(State())
    private let pipe = Pipe()

    package init() {}

    package var isStopping: Bool { self.state.withLock { $0.isStopping } }

    package func stop() {
        self.state.withLock { $0.isStopping = true }
        self.wake()
    }

    /// Any number of these during one pause, or before it, are one.
    package func wake() {
        self.state.withLock { state in
            guard !state.isAwake else { return }
            var byte: UInt8 = 0
            state.isAwake = write(self.pipe.fileHandleForWriting.fileDescriptor, &byte, 1) == 1
        }
    }

    /// Blocks until `duration` has passed or a signal has come.
    package func wait(atMost duration: Duration) {
        guard !self.isStopping else { return }
        var signal = pollfd(
            fd: self.pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = (max(.zero, duration) / .milliseconds(1)).rounded(.up)
        guard poll(&signal, 1, Int32(min(milliseconds, Double(Int32.max)))) > 0 else { return }
        self.state.withLock { state in
            var byte: UInt8 = 0
            if state.isAwake { state.isAwake = read(signal.fd, &byte, 1) != 1 }
        }
    }
}
