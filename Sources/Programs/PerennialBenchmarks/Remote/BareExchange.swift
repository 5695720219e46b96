import CZeroMQ
import Foundation
import ZeroMQ

/// What libzmq does by itself: a DEALER that keeps so many messages under way, and a ROUTER on a thread of its own that
/// sends each back; encrypted and authenticated, over TCP on this machine, as nodes do it.
final class BareExchange: @unchecked Sendable {
    private let size: Int
    private let window: Int
    private let contexts: [UnsafeMutableRawPointer]
    private let dealer: UnsafeMutableRawPointer

    init(size: Int, window: Int) throws {
        let server = try CurveKeyPair()
        let client = try CurveKeyPair()
        guard let here = zmq_ctx_new(), let there = zmq_ctx_new(), let dealer = zmq_socket(here, ZMQ_DEALER),
            let router = zmq_socket(there, ZMQ_ROUTER)
        else { throw BenchmarkError("libzmq makes no socket") }
        self.size = size
        self.window = window
        self.contexts = [here, there]
        self.dealer = dealer
        for socket in [dealer, router] {
            for option in [ZMQ_SNDHWM, ZMQ_RCVHWM, ZMQ_LINGER] { Self.set(socket, option, 0) }
        }
        Self.set(router, ZMQ_CURVE_SERVER, 1)
        Self.set(router, ZMQ_CURVE_SECRETKEY, server.secretKey)
        Self.set(dealer, ZMQ_CURVE_SERVERKEY, server.publicKey)
        Self.set(dealer, ZMQ_CURVE_PUBLICKEY, client.publicKey)
        Self.set(dealer, ZMQ_CURVE_SECRETKEY, client.secretKey)
        var endpoint = [CChar](repeating: 0, count: 256)
        var length = endpoint.count
        guard zmq_bind(router, "tcp://127.0.0.1:*") == 0,
            zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, &endpoint, &length) == 0, zmq_connect(dealer, endpoint) == 0
        else {
            zmq_close(router)
            throw BenchmarkError("libzmq does not connect two of its sockets")
        }
        nonisolated(unsafe) let socket = router
        Thread.detachNewThread { Self.echo(on: socket) }
    }

    deinit {
        zmq_close(self.dealer)
        // The router's thread sees the end of its context, and closes its socket.
        for context in self.contexts {
            zmq_ctx_shutdown(context)
            zmq_ctx_term(context)
        }
    }

    private static func set(_ socket: UnsafeMutableRawPointer, _ option: Int32, _ value: Int32) {
        var value = value
        zmq_setsockopt(socket, option, &value, MemoryLayout<Int32>.size)
    }

    private static func set(_ socket: UnsafeMutableRawPointer, _ option: Int32, _ value: [UInt8]) {
        zmq_setsockopt(socket, option, value, value.count)
    }

    private static func echo(on router: UnsafeMutableRawPointer) {
        var identity = zmq_msg_t()
        var body = zmq_msg_t()
        zmq_msg_init(&identity)
        zmq_msg_init(&body)
        while zmq_msg_recv(&identity, router, 0) >= 0, zmq_msg_recv(&body, router, 0) >= 0 {
            zmq_msg_send(&identity, router, ZMQ_SNDMORE)
            zmq_msg_send(&body, router, 0)
        }
        zmq_close(router)
    }

    /// - Returns: messages in a second that went there and back.
    func exchange(for duration: Duration) async throws -> Double {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.run(for: duration)) }
        }
    }

    private func run(for duration: Duration) -> Double {
        let payload = [UInt8](repeating: 7, count: self.size)
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        let start = ContinuousClock.now
        var count = 0
        for _ in 0..<self.window { zmq_send(self.dealer, payload, payload.count, 0) }
        while count & 1023 != 0 || .now - start < duration {
            zmq_msg_recv(&message, self.dealer, 0)
            zmq_send(self.dealer, payload, payload.count, 0)
            count += 1
        }
        let rate = Double(count) / (.now - start).seconds
        for _ in 0..<self.window { zmq_msg_recv(&message, self.dealer, 0) }
        zmq_msg_close(&message)
        return rate
    }
}
