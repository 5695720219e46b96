import Clustering
import EventLog
import Foundation
import InMemoryStore
import Synchronization
import WireProtocol
import ZeroMQ

/// A node that lets everybody in, and answers calls as it likes; until it goes out of scope.
final class RawOwner: Sendable {
    /// What is said to a frame: messages of one or more parts each.
    typealias Answer = @Sendable (_ frame: Frame) -> [[[UInt8]]]

    private final class Conversation: Sendable {
        let hasEnded = Flag()
        let calls = Mutex<[RemoteCall]>([])
    }

    private let record: NodeRecord
    private let conversation = Conversation()

    init(_ answer: @escaping Answer) async throws {
        let keys = try CurveKeyPair()
        let conversation = self.conversation
        let endpoint: Result<String, any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                do {
                    let context = try Context()
                    var gate = try ZAPHandler(in: context, domain: "raw")
                    let socket = try Socket(.router, in: context)
                    try socket.set(.linger, to: 0)
                    try socket.set(.sendHighWaterMark, to: 0)
                    try socket.serveCurve(keys, domain: "raw")
                    continuation.resume(returning: .success(try socket.bind("tcp://127.0.0.1:*")))
                    var poller = Poller()
                    while !conversation.hasEnded.isRaised {
                        poller.removeAll()
                        _ = gate.add(to: &poller)
                        _ = poller.add(socket)
                        try? poller.wait(until: .now + .milliseconds(50))
                        try? gate.answer { _ in "anybody" }
                        try? Self.talk(on: socket, conversation, answer)
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        self.record = NodeRecord(
            id: NodeID(rawValue: "raw"), incarnation: Incarnation(rawValue: 77), endpoint: try endpoint.get(),
            curveKeys: [keys.publicKey])
    }

    deinit { self.conversation.hasEnded.raise() }

    private static func talk(
        on socket: borrowing Socket, _ conversation: Conversation, _ answer: Answer
    ) throws {
        var identity = MessagePart()
        var part = MessagePart()
        while try socket.receive(&identity), try socket.receive(&part) {
            let frame = try Frame(decoding: part.bytes)
            conversation.calls.withLock { $0 += frame.calls }
            for message in answer(frame) {
                _ = try socket.send(identity.bytes, more: true)
                for (place, part) in message.enumerated() {
                    _ = try socket.send(part, more: place + 1 < message.count)
                }
            }
        }
    }

    /// Those that came, in their order.
    var calls: [RemoteCall] { self.conversation.calls.withLock(\.self) }

    /// Is registered, owns these shards, and everybody knows.
    func own(_ shards: [UInt16], in cluster: TestCluster) async throws {
        try cluster.store.register(self.record)
        let run = ShardRecord.Owner(node: self.record.id, incarnation: self.record.incarnation)
        _ = cluster.store.claim(ShardClaim(shards.map(ShardID.init), for: run))
        await cluster.refresh()
    }
}

extension Frame {
    /// Of an answer to it.
    var answerHeader: FrameHeader {
        FrameHeader(node: "raw", incarnation: self.header.addressee, addressee: self.header.incarnation)
    }

    /// Gives each of its calls its own argument as the result.
    /// - Parameters:
    ///   - header: instead of the right one.
    ///   - value: instead of the argument.
    ///   - offset: of the ids that are named from those of the calls.
    func answer(under header: FrameHeader? = nil, with value: [UInt8]? = nil, offset: UInt64 = 0) -> [UInt8] {
        var writer = FrameWriter(header ?? self.answerHeader)
        for call in self.calls {
            writer.add(RemoteReply(id: call.id + offset, outcome: .value(value ?? call.arguments.first ?? [])))
        }
        return writer.bytes
    }
}
