import CZeroMQ
import Foundation
import Synchronization
import ZeroMQ

/// Counts what is published to it, on a thread of its own, with libzmq alone: the same subscriber for whoever publishes.
final class CountingSubscriber: @unchecked Sendable {
    private final class State: Sendable {
        let count = Atomic(0)
        let isOver = Atomic(false)
    }

    private static let waitingMilliseconds: Int32 = 100

    private let state = State()

    /// - Parameter serverKey: of the publisher.
    init(endpoint: String, serverKey: [UInt8], keys: CurveKeyPair) throws {
        guard let context = zmq_ctx_new(), let socket = zmq_socket(context, ZMQ_SUB) else {
            throw BenchmarkError("libzmq makes no socket")
        }
        for (option, value) in [
            (ZMQ_RCVHWM, 0), (ZMQ_LINGER, 0), (ZMQ_RCVTIMEO, Self.waitingMilliseconds),
        ] {
            var value = value
            zmq_setsockopt(socket, option, &value, MemoryLayout<Int32>.size)
        }
        for (option, key) in [
            (ZMQ_CURVE_SERVERKEY, serverKey), (ZMQ_CURVE_PUBLICKEY, keys.publicKey),
            (ZMQ_CURVE_SECRETKEY, keys.secretKey),
        ] {
            zmq_setsockopt(socket, option, key, key.count)
        }
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0)
        guard zmq_connect(socket, endpoint) == 0 else { throw BenchmarkError("libzmq does not connect") }
        nonisolated(unsafe) let (unsafeContext, unsafeSocket) = (context, socket)
        let state = self.state
        Thread.detachNewThread {
            Self.listen(unsafeSocket, state)
            zmq_close(unsafeSocket)
            zmq_ctx_term(unsafeContext)
        }
    }

    deinit { self.state.isOver.store(true, ordering: .relaxed) }

    var count: Int { self.state.count.load(ordering: .relaxed) }

    private static func listen(_ socket: UnsafeMutableRawPointer, _ state: State) {
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        while !state.isOver.load(ordering: .relaxed) {
            if zmq_msg_recv(&message, socket, 0) >= 0 { state.count.wrappingAdd(1, ordering: .relaxed) }
        }
        zmq_msg_close(&message)
    }
}
