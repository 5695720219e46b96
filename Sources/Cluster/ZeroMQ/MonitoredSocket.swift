import CZeroMQ

/// A socket that tells how its connections fare.
package struct MonitoredSocket: ~Copyable {
    package enum Event: Sendable {
        /// The handshake is done: messages pass.
        case ready
        /// The connection broke: what was under way on it is lost.
        case disconnected
        /// The peer is not who it should be, or does not want us.
        case refused
    }

    package let socket: Socket
    private let events: Socket

    /// - Parameters:
    ///   - socket: not connected yet.
    ///   - name: unique in the context.
    package init(_ socket: consuming Socket, name: String, in context: Context) throws(ZeroMQError) {
        let address = "inproc://monitor-\(name)"
        let mask =
            ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
        let events = try Socket(.pair, in: context)
        guard unsafe zmq_socket_monitor(socket.handle, address, mask) == 0 else {
            throw .last("zmq_socket_monitor")
        }
        do throws(ZeroMQError) {
            try events.connect(address)
        } catch {
            Self.endEvents(of: socket)
            throw error
        }
        self.socket = socket
        self.events = events
    }

    deinit { Self.endEvents(of: self.socket) }

    /// Events are written by the thread of libzmq that carries all connections of the context. For a reader that is gone it
    /// would wait for ever, so it has to stop writing first.
    private static func endEvents(of socket: borrowing Socket) {
        _ = unsafe zmq_socket_monitor(socket.handle, nil, 0)
    }

    /// - Returns: the place of the events.
    package func addEvents(to poller: inout Poller) -> Int { poller.add(self.events) }

    /// nil when nothing has happened since.
    package func nextEvent() throws(ZeroMQError) -> Event? {
        var part = MessagePart()
        guard try self.events.receive(&part) else { return nil }
        // The number of the event in the machine's own order, a value, and then, in a part of its own, the address.
        let bytes = part.bytes
        while part.hasMore, try self.events.receive(&part) {}
        switch Int32(bytes[0]) | Int32(bytes[1]) << 8 {
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .ready
        case ZMQ_EVENT_DISCONNECTED: return .disconnected
        default: return .refused
        }
    }
}
