import Foundation
import SwiftProtobuf
import WireProtocol

/// Frames of all shapes, the same for the same seed.
struct FrameRandomness: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed &+ 0x1234_5678_9ABC_DEF1 }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Small ones and very large ones.
    mutating func number() -> UInt64 { self.next() >> (self.next() % 64) }

    private mutating func count(_ limit: UInt64) -> Int { Int(self.next() % (limit + 1)) }

    /// Around the sizes at which a length takes more bytes, too.
    mutating func bytes() -> [UInt8] {
        let size = [0, 1, 5, 60, 127, 128, 129, 300, 16_383, 16_384, 17_000][self.count(10)]
        let byte = UInt8(truncatingIfNeeded: self.next())
        return [UInt8](repeating: byte, count: size)
    }

    private mutating func text() -> String {
        ["", "a", "node-1", "Zürich", "🦉", String(repeating: "x", count: 200)][self.count(5)]
    }

    mutating func frame() -> Frame { Frame(self.proto(isWellFormed: true)) }

    /// - Parameter isWellFormed: without what our own side never writes.
    mutating func proto(isWellFormed: Bool = false) -> ProtoFrame {
        var proto = ProtoFrame()
        proto.protocol = isWellFormed ? Frame.currentProtocol : UInt32(truncatingIfNeeded: self.number())
        proto.node = self.text()
        proto.incarnation = Int64(bitPattern: self.number())
        proto.addressee = Int64(bitPattern: self.number())
        proto.calls = (0..<self.count(4)).map { _ in self.call() }
        proto.cancelled = (0..<self.count(4)).map { _ in self.number() }
        proto.replies = (0..<self.count(4)).map { _ in self.reply() }
        if self.count(3) == 0 { proto.reset = ProtoReset.with { $0.protocol = Frame.currentProtocol } }
        return proto
    }

    private mutating func call() -> ProtoCall {
        var call = ProtoCall()
        call.id = self.number()
        call.shard = UInt32(self.number() & 0xFFFF)
        call.target = UInt32(truncatingIfNeeded: self.number())
        call.remaining = UInt32(truncatingIfNeeded: self.number())
        call.epoch = Int64(bitPattern: self.number())
        call.arguments = (0..<self.count(3)).map { _ in Data(self.bytes()) }
        for _ in 0..<self.count(2) { call.trace[self.text()] = self.text() }
        return call
    }

    private mutating func reply() -> ProtoReply {
        var reply = ProtoReply()
        reply.id = self.number()
        switch self.count(2) {
        case 0: reply.value = Data(self.bytes())
        case 1: reply.nothing = true
        default:
            var failure = ProtoFailure()
            failure.code = ProtoFailureCode(rawValue: 1 + self.count(4))!
            failure.message = self.text()
            if self.count(1) == 0 {
                failure.error = 1 + UInt32(self.count(100))
                failure.content = Data(self.bytes())
            }
            reply.failure = failure
        }
        return reply
    }

    /// Cut off, or with some bytes changed, taken out or put in.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        if self.count(2) == 0 { bytes = Array(bytes.prefix(self.count(UInt64(bytes.count)))) }
        for _ in 0...self.count(3) where !bytes.isEmpty {
            let place = self.count(UInt64(bytes.count - 1))
            switch self.count(2) {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: self.next())
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8(truncatingIfNeeded: self.next()), at: place)
            }
        }
        return bytes
    }
}

extension Frame {
    /// As the generated code has it.
    init(_ proto: ProtoFrame) {
        self.init(
            header: FrameHeader(node: proto.node, incarnation: proto.incarnation, addressee: proto.addressee))
        self.header.protocolVersion = proto.protocol
        self.calls = proto.calls.map { call in
            RemoteCall(
                id: call.id, shard: UInt16(call.shard), target: call.target, remaining: call.remaining,
                epoch: call.epoch, arguments: call.arguments.map(Array.init), trace: call.trace)
        }
        self.cancelled = proto.cancelled
        self.replies = proto.replies.map { reply in
            switch reply.outcome {
            case .value(let value): return RemoteReply(id: reply.id, outcome: .value(Array(value)))
            case .failure(let failure):
                let error = RemoteFailure.ThrownError(number: failure.error, content: Array(failure.content))
                return RemoteReply(
                    id: reply.id,
                    outcome: .failure(
                        RemoteFailure(
                            RemoteFailure.Code(rawValue: failure.code.rawValue) ?? .thrown, failure.message,
                            error: failure.error == 0 ? nil : error)))
            default: return RemoteReply(id: reply.id, outcome: .nothing)
            }
        }
        self.isReset = proto.hasReset
    }

    var written: [UInt8] {
        var writer = FrameWriter(self.header)
        for call in self.calls { writer.add(call) }
        for id in self.cancelled { writer.addCancelled(id) }
        for reply in self.replies { writer.add(reply) }
        if self.isReset { writer.addReset() }
        return writer.bytes
    }
}
