import CZeroMQ
import Foundation
import Synchronization

/// Wakes the reactor's thread from any other: an eventfd, written to only when the thread may be asleep.
package final class EventFDWaker: Sendable {
    let descriptor: Int32
    private let isRung = Atomic(false)

    init() throws(ZeroMQError) {
        self.descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard self.descriptor >= 0 else { throw ZeroMQError(number: errno, message: "eventfd") }
    }

    deinit { close(self.descriptor) }

    /// What was written to memory before is seen by the turn that follows. Any number of rings before that turn are one.
    package func ring() {
        guard !self.isRung.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        _ = unsafe write(self.descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Before looking at what others have left: a ring from here on wakes again. When the descriptor is readable, or the
    /// thread would not sleep any more.
    func silence() {
        var count: UInt64 = 0
        _ = unsafe read(self.descriptor, &count, MemoryLayout<UInt64>.size)
        self.isRung.store(false, ordering: .sequentiallyConsistent)
    }
}
