import CZeroMQ

/// Room for one part of a received message; may be used for one part after another.
@safe package struct MessagePart: ~Copyable {
    var message = zmq_msg_t()

    package init() { _ = unsafe zmq_msg_init(&self.message) }

    deinit {
        // libzmq wants an address that can be written to, and `self` is constant here.
        var message = self.message
        _ = unsafe zmq_msg_close(&message)
    }

    /// Another part of the same message follows.
    package var hasMore: Bool { mutating get { unsafe zmq_msg_more(&self.message) == 1 } }

    package var bytes: [UInt8] {
        mutating get {
            let start = unsafe zmq_msg_data(&self.message)
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: zmq_msg_size(&self.message)))
        }
    }

    /// Whom the ZAP handler took the connection's peer for; nil on a connection that nobody vouched for.
    package var userID: String? {
        mutating get {
            guard let text = unsafe zmq_msg_gets(&self.message, "User-Id") else { return nil }
            return unsafe String(cString: text)
        }
    }
}
