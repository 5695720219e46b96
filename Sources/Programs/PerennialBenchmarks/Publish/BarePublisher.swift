import CZeroMQ
import Foundation
import ZeroMQ

/// What libzmq does by itself: a PUB, encrypted, that sends messages of one size.
final class BarePublisher: @unchecked Sendable {
    let endpoint: String
    let keys: CurveKeyPair
    private let context: UnsafeMutableRawPointer
    private let socket: UnsafeMutableRawPointer

    init() throws {
        let keys = try CurveKeyPair()
        guard let context = zmq_ctx_new(), let socket = zmq_socket(context, ZMQ_PUB) else {
            throw BenchmarkError("libzmq makes no socket")
        }
        for (option, value) in [(ZMQ_SNDHWM, Int32(0)), (ZMQ_LINGER, 0), (ZMQ_CURVE_SERVER, 1)] {
            var value = value
            zmq_setsockopt(socket, option, &value, MemoryLayout<Int32>.size)
        }
        zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys.secretKey, keys.secretKey.count)
        var endpoint = [CChar](repeating: 0, count: 256)
        var length = endpoint.count
        guard zmq_bind(socket, "tcp://127.0.0.1:*") == 0,
            zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, &endpoint, &length) == 0
        else { throw BenchmarkError("libzmq does not listen") }
        self.endpoint = String(decoding: endpoint.prefix(length - 1).map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.keys = keys
        self.context = context
        self.socket = socket
    }

    deinit {
        zmq_close(self.socket)
        zmq_ctx_term(self.context)
    }

    func send(_ message: [UInt8]) { zmq_send(self.socket, message, message.count, 0) }
}
