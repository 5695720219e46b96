import CZeroMQ

/// Tells how the connections of one socket fare.
package struct SocketMonitor: ~Copyable {
    package enum Event: Sendable {
        /// The handshake is done: messages pass.
        case ready
        /// The connection broke: what was under way on it is lost.
        case disconnected
        /// The peer is not who it should be, or does not want us.
        case refused
    }

    private let socket: Socket

    /// - Parameter name: unique in the context.
    package init(of watched: borrowing Socket, name: String, in context: Context) throws(ZeroMQError) {
        let address = "inproc://monitor-\(name)"
        let events =
            ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
        guard unsafe zmq_socket_monitor(watched.handle, address, events) == 0 else {
            throw .last("zmq_socket_monitor")
        }
        let socket = try Socket(.pair, in: context)
        try socket.connect(address)
        self.socket = socket
    }

    package func add(to poller: inout Poller) -> Int { poller.add(self.socket) }

    /// nil when nothing has happened since.
    package mutating func next() throws(ZeroMQError) -> Event? {
        var part = MessagePart()
        guard try self.socket.receive(&part) else { return nil }
        // The number of the event in the machine's own order, a value, and then, in a part of its own, the address.
        let bytes = part.bytes
        while part.hasMore, try self.socket.receive(&part) {}
        switch Int32(bytes[0]) | Int32(bytes[1]) << 8 {
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .ready
        case ZMQ_EVENT_DISCONNECTED: return .disconnected
        default: return .refused
        }
    }
}
