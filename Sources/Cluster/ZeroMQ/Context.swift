import CZeroMQ

/// Owns libzmq's I/O threads. Outlives its sockets, which hold on to it.
@safe package final class Context: Sendable {
    nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    package init() throws(ZeroMQError) {
        guard let handle = unsafe zmq_ctx_new() else { throw .last("zmq_ctx_new") }
        unsafe self.handle = handle
        // A socket that is closed lets go of what it has not sent, unless it says otherwise: who waits has a deadline.
        _ = unsafe zmq_ctx_set(handle, ZMQ_BLOCKY, 0)
    }

    deinit { _ = unsafe zmq_ctx_term(self.handle) }
}
