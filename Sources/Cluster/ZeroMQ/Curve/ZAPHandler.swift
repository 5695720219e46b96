import CZeroMQ

/// Answers libzmq's question whether a peer may come in (ZAP, ZeroMQ RFC 27). One for a context; while there is none,
/// nobody comes in.
package struct ZAPHandler: ~Copyable {
    private let socket: Socket
    private let domain: String

    /// - Parameter domain: of the sockets that it answers for.
    package init(in context: Context, domain: String) throws(ZeroMQError) {
        let socket = try Socket(.reply, in: context)
        _ = try socket.bind("inproc://zeromq.zap.01")
        self.socket = socket
        self.domain = domain
    }

    package func add(to poller: inout Poller) -> Int { poller.add(self.socket) }

    /// Answers all that is asked now.
    /// - Parameter user: whom a CURVE key of 32 bytes belongs to; nil for a key that is not listed.
    package mutating func answer(_ user: ([UInt8]) -> String?) throws(ZeroMQError) {
        var part = MessagePart()
        while try self.socket.receive(&part) {
            var parts = [part.bytes]
            while part.hasMore, try self.socket.receive(&part) { parts.append(part.bytes) }
            try self.answer(parts, user)
        }
    }

    private func answer(_ parts: [[UInt8]], _ user: ([UInt8]) -> String?) throws(ZeroMQError) {
        // Version, request id, domain, address, identity, mechanism, credentials.
        let isCurve =
            parts.count == 7 && parts[2] == Array(self.domain.utf8) && parts[5] == Array("CURVE".utf8)
            && parts[6].count == 32
        let name = isCurve ? user(parts[6]) : nil
        let (status, sentence) = name == nil ? ("400", "this key is not listed") : ("200", "")
        let answer = [
            Array("1.0".utf8), parts.count > 1 ? parts[1] : [], Array(status.utf8), Array(sentence.utf8),
            Array((name ?? "").utf8),
        ]
        for part in answer { _ = try self.socket.send(part, more: true) }
        _ = try self.socket.send([])
    }
}
