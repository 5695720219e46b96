import Clustering
import EventSourcing
import Testing
import WireProtocol
import ZeroMQ

/// A peer that calls, and reads answers only when it is told to. Used by one task.
final class SlowReader {
    private let socket: Socket
    private let record: NodeRecord
    private let node: TestNode

    init(to node: TestNode, keys: CurveKeyPair, record: NodeRecord) async throws {
        let registration = await node.node.registration()
        let endpoint = try #require(registration?.endpoint)
        self.socket = try Socket(.dealer, in: Context())
        self.record = record
        self.node = node
        try self.socket.set(.linger, to: 0)
        try self.socket.set(.sendHighWaterMark, to: 0)
        try self.socket.set(.receiveHighWaterMark, to: 1)
        try self.socket.useCurve(keys, server: node.configuration.keys.publicKey)
        try self.socket.connect(endpoint)
    }

    /// Each answer has so many bytes.
    func call(_ count: Int, of size: Int) throws {
        let argument = [UInt8(size >> 16), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]
        for id in 1...UInt64(count) {
            let frame = Frame.call(
                from: self.record, to: self.node, id: id, target: Contract.Number.produce, arguments: [argument])
            try #require(try self.socket.send(frame.bytes) == .sent)
        }
    }

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
