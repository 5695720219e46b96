import Clustering
import EventLog
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

    /// Sends messages of one or more parts each, and gives what came back until there were `count` replies or resets, or
    /// until `patience` is over.
    func send(
        _ messages: [[[UInt8]]], expecting count: Int, patience: Duration = .seconds(60)
    ) async throws -> [Frame] {
        try await self.send(messages, patience: patience) { frames in
            frames.reduce(0) { $0 + $1.replies.count + ($1.isReset ? 1 : 0) } >= count
        }
    }

    func send(
        _ messages: [[[UInt8]]], patience: Duration = .seconds(60),
        until isEnough: @Sendable @escaping ([Frame]) -> Bool
    ) async throws -> [Frame] {
        let result: Result<[Frame], any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Result { try self.talk(messages, .now + patience, isEnough) })
            }
        }
        return try result.get()
    }

    private func talk(
        _ messages: [[[UInt8]]], _ end: ContinuousClock.Instant, _ isEnough: ([Frame]) -> Bool
    ) throws -> [Frame] {
        let socket = try Socket(.dealer, in: Context())
        // What was sent is on its way when the socket is closed.
        try socket.set(.linger, to: 1_000)
        try socket.set(.sendHighWaterMark, to: 0)
        try socket.useCurve(self.keys, server: self.serverKey)
        try socket.connect(self.endpoint)
        for message in messages {
            for (place, part) in message.enumerated() {
                _ = try socket.send(part, more: place + 1 < message.count)
            }
        }
        var answers: [Frame] = []
        var part = MessagePart()
        var poller = Poller()
        while !isEnough(answers), .now < end {
            poller.removeAll()
            _ = poller.add(socket)
            try poller.wait(until: end)
            while try socket.receive(&part) { answers.append(try Frame(decoding: part.bytes)) }
        }
        return answers
    }
}

extension Frame {
    /// One call, as a peer of `node` makes it.
    static func call(
        from caller: NodeRecord, to node: TestNode, id: UInt64 = 1, target: UInt32 = Contract.Number.echo,
        shard: UInt16 = 0, remaining: UInt32 = 60_000, epoch: Int64 = 1, arguments: [[UInt8]] = [[1]]
    ) -> FrameWriter {
        var writer = FrameWriter(
            FrameHeader(
                node: caller.id.rawValue, incarnation: caller.incarnation.rawValue,
                addressee: node.configuration.incarnation.rawValue))
        writer.add(
            RemoteCall(
                id: id, shard: shard, target: target, remaining: remaining, epoch: epoch, arguments: arguments))
        return writer
    }
}
