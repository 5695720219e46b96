import CZeroMQ
import Foundation

/// Waits for whichever of several sockets has something to do. As `zmq_poll` does, but asks only sockets that may have
/// events, each once, before it sleeps.
@safe package struct Poller: ~Copyable {
    @safe private struct Item {
        /// nil for what is no socket.
        var handle: UnsafeMutableRawPointer?
        var attention: Attention?
        /// What is waited for, in bits of libzmq.
        var wanted: Int32
        var ready: Int32 = 0

        /// There may be events: nobody has looked since it was used, or it may take messages all the time.
        var isDue: Bool { self.wanted & ZMQ_POLLOUT != 0 || self.attention?.isDue == true }
    }

    private var items: [Item] = []
    /// Of the items, in their order.
    private var descriptors: [pollfd] = []

    package init() {}

    package mutating func removeAll() {
        self.items.removeAll(keepingCapacity: true)
        self.descriptors.removeAll(keepingCapacity: true)
    }

    /// - Parameter whenWritable: wake up as well once the socket takes messages again.
    /// - Returns: the place to ask about it afterwards.
    package mutating func add(_ socket: borrowing Socket, whenWritable: Bool = false) -> Int {
        let wanted = ZMQ_POLLIN | (whenWritable ? ZMQ_POLLOUT : 0)
        return unsafe self.add(
            Item(handle: socket.handle, attention: socket.attention, wanted: wanted), socket.descriptor)
    }

    package mutating func add(_ wakeUp: EventFDWaker) -> Int {
        unsafe self.add(Item(wanted: ZMQ_POLLIN), wakeUp.descriptor)
    }

    private mutating func add(_ item: Item, _ descriptor: Int32) -> Int {
        self.items.append(item)
        self.descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        return self.descriptors.count - 1
    }

    /// Blocks until one of them is ready or `deadline` has come; without one, for as long as it takes.
    package mutating func wait(until deadline: ContinuousClock.Instant?) throws(ZeroMQError) {
        var isAnyReady = false
        for place in self.items.indices {
            self.items[place].ready = 0
            if self.items[place].isDue, try self.look(at: place) { isAnyReady = true }
        }
        repeat {
            // Those that are ready must not hide the news of others.
            let patience = isAnyReady ? 0 : Self.milliseconds(until: deadline)
            let found = unsafe poll(&self.descriptors, nfds_t(self.descriptors.count), patience)
            guard found >= 0 || errno == EINTR else { throw ZeroMQError(number: errno, message: "poll") }
            if found == 0 { return }
            for place in self.descriptors.indices where self.descriptors[place].revents != 0 {
                if try self.look(at: place) { isAnyReady = true }
            }
        } while !isAnyReady
    }

    private mutating func look(at place: Int) throws(ZeroMQError) -> Bool {
        var ready = ZMQ_POLLIN
        if let socket = unsafe self.items[place].handle {
            ready = unsafe try Self.events(of: socket)
            // Until somebody has received what there is.
            self.items[place].attention?.isDue = ready & ZMQ_POLLIN != 0
        }
        self.items[place].ready = ready & self.items[place].wanted
        return self.items[place].ready != 0
    }

    private static func events(of socket: UnsafeMutableRawPointer) throws(ZeroMQError) -> Int32 {
        var events: Int32 = 0
        var size = MemoryLayout<Int32>.size
        while unsafe zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size) < 0 {
            guard zmq_errno() == EINTR else { throw .last("zmq_getsockopt ZMQ_EVENTS") }
        }
        return events
    }

    package func isReadable(_ place: Int) -> Bool { self.items[place].ready & ZMQ_POLLIN != 0 }

    package func isWritable(_ place: Int) -> Bool { self.items[place].ready & ZMQ_POLLOUT != 0 }

    /// Rounded up: waking before the deadline would be waiting twice.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let rest = deadline - .now
        guard rest > .zero else { return 0 }
        return Int32(min(rest / .milliseconds(1), Double(Int32.max - 1))) + 1
    }
}
