import CZeroMQ
import Foundation

/// An open socket. Used on the reactor's thread only; closed when it goes out of scope. Nothing here blocks.
@safe package struct Socket: ~Copyable {
    package enum Kind: Sendable {
        case router, dealer, reply, pair, publish, subscribe

        var number: Int32 {
            switch self {
            case .router: ZMQ_ROUTER
            case .dealer: ZMQ_DEALER
            case .reply: ZMQ_REP
            case .pair: ZMQ_PAIR
            case .publish: ZMQ_PUB
            case .subscribe: ZMQ_SUB
            }
        }
    }

    /// What became of a message that was to be sent.
    package enum Sending: Sendable {
        case sent
        /// The peer takes no more for now: nothing was sent.
        case full
        /// Nobody has the name that a router's message begins with: nothing was sent.
        case unroutable
    }

    let handle: UnsafeMutableRawPointer
    /// Readable when there may be events that were not there before.
    let descriptor: Int32
    let attention = Attention()
    private let context: Context  // released after `deinit`: a context outlives its sockets

    package init(_ kind: Kind, in context: Context) throws(ZeroMQError) {
        guard let handle = unsafe zmq_socket(context.handle, kind.number) else { throw .last("zmq_socket") }
        var descriptor: Int32 = -1
        var size = MemoryLayout<Int32>.size
        guard unsafe zmq_getsockopt(handle, ZMQ_FD, &descriptor, &size) == 0 else {
            let error = ZeroMQError.last("zmq_getsockopt ZMQ_FD")
            _ = unsafe zmq_close(handle)
            throw error
        }
        unsafe self.handle = handle
        self.descriptor = descriptor
        self.context = context
    }

    deinit { _ = unsafe zmq_close(self.handle) }

    // MARK: Addresses

    /// Listens on an endpoint such as `tcp://127.0.0.1:0`; port 0 takes a free one.
    /// - Returns: the endpoint as it is, with its port.
    package func bind(_ endpoint: String) throws(ZeroMQError) -> String {
        self.attention.isDue = true
        guard unsafe zmq_bind(self.handle, endpoint) == 0 else { throw .last("zmq_bind \(endpoint)") }
        var size = 256
        let bound = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { text in
            unsafe zmq_getsockopt(self.handle, ZMQ_LAST_ENDPOINT, text.baseAddress, &size) == 0
                ? unsafe String(cString: text.baseAddress!) : endpoint
        }
        return bound
    }

    /// Connects in the background, and again whenever the connection breaks.
    package func connect(_ endpoint: String) throws(ZeroMQError) {
        self.attention.isDue = true
        guard unsafe zmq_connect(self.handle, endpoint) == 0 else { throw .last("zmq_connect \(endpoint)") }
    }

    // MARK: Messages

    /// - Parameter more: another part of the same message follows, which then must not fail for being `full`.
    package func send(_ bytes: [UInt8], more: Bool = false) throws(ZeroMQError) -> Sending {
        self.attention.isDue = true
        let flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)
        while unsafe zmq_send(self.handle, bytes, bytes.count, flags) < 0 {
            switch zmq_errno() {
            case EINTR: continue
            case EAGAIN: return .full
            case EHOSTUNREACH: return .unroutable
            default: throw .last("zmq_send")
            }
        }
        return .sent
    }

    /// false when there is nothing to receive now.
    package func receive(_ part: inout MessagePart) throws(ZeroMQError) -> Bool {
        while unsafe zmq_msg_recv(&part.message, self.handle, ZMQ_DONTWAIT) < 0 {
            switch zmq_errno() {
            case EINTR: continue
            case EAGAIN:
                // libzmq has looked for news before it said so: whatever comes later makes the descriptor readable.
                self.attention.isDue = false
                return false
            default: throw .last("zmq_msg_recv")
            }
        }
        self.attention.isDue = true
        return true
    }

    // MARK: Options

    /// A `subscribe` socket gets messages that begin with one of these.
    package func subscribe(to prefix: [UInt8]) throws(ZeroMQError) { try self.set(ZMQ_SUBSCRIBE, to: prefix) }

    package func set(_ option: NumberOption, to value: Int32) throws(ZeroMQError) {
        try self.set(option.number, to: value)
    }

    package func set(_ option: NumberOption, to value: Bool) throws(ZeroMQError) {
        try self.set(option, to: value ? 1 : 0)
    }

    /// Asks peers over idle connections whether they are there; one that does not answer counts as broken.
    ///
    /// Nothing bounds then what waits to be received: once libzmq has stopped reading at a bound, a heartbeat may end the
    /// process (`Assertion failed: !_io_error`, `_input_stopped`: libzmq's issues 4364 and 3937). So read without delay, and
    /// bound what becomes of it.
    /// - Parameters:
    ///   - interval: in milliseconds.
    ///   - timeout: milliseconds without an answer.
    package func beat(every interval: Int32, timeout: Int32) throws(ZeroMQError) {
        try self.set(.receiveHighWaterMark, to: 0)
        try self.set(ZMQ_HEARTBEAT_IVL, to: interval)
        try self.set(ZMQ_HEARTBEAT_TIMEOUT, to: timeout)
    }

    /// A peer that sends a part of more bytes is cut off.
    package func limitMessages(to bytes: Int) throws(ZeroMQError) {
        var bytes = Int64(bytes)
        guard unsafe zmq_setsockopt(self.handle, ZMQ_MAXMSGSIZE, &bytes, MemoryLayout<Int64>.size) == 0 else {
            throw .last("zmq_setsockopt ZMQ_MAXMSGSIZE")
        }
    }

    private func set(_ option: Int32, to value: Int32) throws(ZeroMQError) {
        var value = value
        guard unsafe zmq_setsockopt(self.handle, option, &value, MemoryLayout<Int32>.size) == 0 else {
            throw .last("zmq_setsockopt \(option)")
        }
    }

    func set(_ option: Int32, to bytes: [UInt8]) throws(ZeroMQError) {
        guard unsafe zmq_setsockopt(self.handle, option, bytes, bytes.count) == 0 else {
            throw .last("zmq_setsockopt \(option)")
        }
    }
}

/// Options of a socket, by libzmq's names.
package enum NumberOption: Sendable {
    /// How many messages wait for one peer, in memory, before sending says `full`.
    case sendHighWaterMark
    /// How many messages of one peer wait to be received; see `Socket.beat(every:timeout:)`.
    case receiveHighWaterMark
    /// Milliseconds for which a closed socket goes on sending; -1 without end.
    case linger
    /// A dealer queues only for connections that are complete.
    case immediate
    /// A router says `unroutable` instead of dropping in silence.
    case mandatory
    /// Milliseconds from the first pause between attempts to connect up to the longest.
    case reconnectInterval
    case longestReconnectInterval
    /// Milliseconds until an address that does not answer counts as not reached.
    case connectTimeout
    /// Milliseconds for the whole of a handshake.
    case handshakeInterval

    fileprivate var number: Int32 {
        switch self {
        case .sendHighWaterMark: ZMQ_SNDHWM
        case .receiveHighWaterMark: ZMQ_RCVHWM
        case .linger: ZMQ_LINGER
        case .immediate: ZMQ_IMMEDIATE
        case .mandatory: ZMQ_ROUTER_MANDATORY
        case .reconnectInterval: ZMQ_RECONNECT_IVL
        case .longestReconnectInterval: ZMQ_RECONNECT_IVL_MAX
        case .connectTimeout: ZMQ_CONNECT_TIMEOUT
        case .handshakeInterval: ZMQ_HANDSHAKE_IVL
        }
    }
}
