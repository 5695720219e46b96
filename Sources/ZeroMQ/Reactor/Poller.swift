import CZeroMQ
import Foundation

/// Waits for whichever of several sockets has something to do.
@safe package struct Poller: ~Copyable {
    private var items: [zmq_pollitem_t] = unsafe []

    package init() {}

    package mutating func removeAll() { unsafe self.items.removeAll(keepingCapacity: true) }

    /// - Parameter whenWritable: wake up as well once the socket takes messages again.
    /// - Returns: the place to ask about it afterwards.
    package mutating func add(_ socket: borrowing Socket, whenWritable: Bool = false) -> Int {
        let events = Int16(ZMQ_POLLIN | (whenWritable ? ZMQ_POLLOUT : 0))
        unsafe self.items.append(zmq_pollitem_t(socket: socket.handle, fd: 0, events: events, revents: 0))
        return unsafe self.items.count - 1
    }

    package mutating func add(_ wakeUp: WakeUp) -> Int {
        unsafe self.items.append(
            zmq_pollitem_t(socket: nil, fd: wakeUp.descriptor, events: Int16(ZMQ_POLLIN), revents: 0))
        return unsafe self.items.count - 1
    }

    /// Blocks until one of them is ready or `deadline` has come; without one, for as long as it takes.
    package mutating func wait(until deadline: ContinuousClock.Instant?) throws(ZeroMQError) {
        let count = unsafe Int32(self.items.count)
        while unsafe zmq_poll(&self.items, count, Self.milliseconds(until: deadline)) < 0 {
            guard zmq_errno() == EINTR else { throw .last("zmq_poll") }
        }
    }

    package func isReadable(_ place: Int) -> Bool { unsafe self.items[place].revents & Int16(ZMQ_POLLIN) != 0 }

    package func isWritable(_ place: Int) -> Bool { unsafe self.items[place].revents & Int16(ZMQ_POLLOUT) != 0 }

    /// Rounded up: waking before the deadline would be waiting twice.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int {
        guard let deadline else { return -1 }
        let rest = deadline - .now
        guard rest > .zero else { return 0 }
        return Int(min(rest / .milliseconds(1), Double(Int32.max))) + 1
    }
}
