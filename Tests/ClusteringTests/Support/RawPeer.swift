import Clustering
import EventSourcing
import Foundation
import WireProtocol
import ZeroMQ

/// Somebody who talks to a node as he likes.
struct RawPeer: Sendable {
    let endpoint: String
    let serverKey: [UInt8]
    let keys: CurveKeyPair

    init(to node: TestNode, keys: CurveKeyPair) async throws {
        let record = await node.node.registration()
        self.endpoint = record?.endpoint ?? ""
        self.serverKey = node.configuration.keys.publicKey
        self.keys = keys
    }

    /// Sends messages of one or more parts each, and gives what came back until there were `count` answers, or until
    /// `patience` is over.
    func send(
        _ messages: [[[UInt8]]], expecting count: Int, patience: Duration = .seconds(30)
    ) async throws -> [[UInt8]] {
        let result: Result<[[UInt8]], any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Result { try self.talk(messages, count, .now + patience) })
            }
        }
        return try result.get()
    }

    private func talk(
        _ messages: [[[UInt8]]], _ count: Int, _ end: ContinuousClock.Instant
    ) throws(ZeroMQError) -> [[UInt8]] {
        let socket = try Socket(.dealer, in: Context())
        // What was sent is on its way when the socket is closed.
        try socket.set(.linger, to: 1_000)
        try socket.useCurve(self.keys, server: self.serverKey)
        try socket.connect(self.endpoint)
        for message in messages {
            for (place, part) in message.enumerated() {
                _ = try socket.send(part, more: place + 1 < message.count)
            }
        }
        var answers: [[UInt8]] = []
        var part = MessagePart()
        var poller = Poller()
        while answers.count < count, .now < end {
            poller.removeAll()
            _ = poller.add(socket)
            try poller.wait(until: end)
            while try socket.receive(&part) { answers.append(part.bytes) }
        }
        return answers
    }
}

extension Frame {
    /// One call, as a peer of `node` makes it.
    static func call(
        from caller: NodeRecord, to node: TestNode, id: UInt64 = 1, target: UInt32 = Contract.Number.echo,
        shard: UInt16 = 0, epoch: Int64 = 1, arguments: [[UInt8]] = [[1]]
    ) -> FrameWriter {
        var writer = FrameWriter(
            FrameHeader(
                node: caller.id.rawValue, incarnation: caller.incarnation.rawValue,
                addressee: node.configuration.incarnation.rawValue))
        writer.add(
            RemoteCall(
                id: id, shard: shard, target: target, remaining: 60_000, epoch: epoch, arguments: arguments))
        return writer
    }
}
