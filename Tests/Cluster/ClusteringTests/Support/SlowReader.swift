import Clustering
import EventLog
import Testing
import WireProtocol
import ZeroMQ

/// A peer that calls, and reads answers only when it is told to. Used by one task.
final class SlowReader {
    private let socket: Socket

    init(to node: TestNode, keys: CurveKeyPair) async throws {
        let registration = await node.node.registration()
        let endpoint = try #require(registration?.endpoint)
        self.socket = try Socket(.dealer, in: Context())
        try self.socket.set(.linger, to: 0)
        try self.socket.set(.sendHighWaterMark, to: 0)
        try self.socket.set(.receiveHighWaterMark, to: 1)
        try self.socket.useCurve(keys, server: node.configuration.keys.publicKey)
        try self.socket.connect(endpoint)
    }

    func send(_ frame: FrameWriter) throws { try #require(try self.socket.send(frame.bytes) == .sent) }

    /// - Returns: when there are so many, or none has come for long.
    func read(_ count: Int) throws -> [RemoteReply] {
        var replies: [RemoteReply] = []
        var part = MessagePart()
        var poller = Poller()
        while replies.count < count {
            poller.removeAll()
            let place = poller.add(self.socket)
            try poller.wait(until: .now + .seconds(20))
            guard poller.isReadable(place) else { break }
            while try self.socket.receive(&part) { replies += try Frame(decoding: part.bytes).replies }
        }
        return replies
    }
}
