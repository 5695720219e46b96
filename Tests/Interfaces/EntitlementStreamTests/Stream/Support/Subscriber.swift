import EventLog
import Foundation
import Synchronization
import WireProtocol
import ZeroMQ

/// Somebody who follows the stream with a socket and a thread of his own, until he goes out of scope.
final class Subscriber: Sendable {
    private struct Heard: Sendable {
        var deltas: [ShardID: [StreamDelta]] = [:]
        var beats: [StreamBeat] = []
    }

    private final class Flags: Sendable {
        let isStuck = Atomic(false)
        let isOver = Atomic(false)
        let heard = Mutex(Heard())
    }

    private let flags: Flags

    init(endpoint: String, serverKey: [UInt8], keys: CurveKeyPair, receiveLimit: Int32) {
        let flags = Flags()
        self.flags = flags
        Thread.detachNewThread {
            try? Self.listen(flags, endpoint, serverKey, keys, receiveLimit)
        }
    }

    deinit { self.flags.isOver.store(true, ordering: .relaxed) }

    var deltas: [ShardID: [StreamDelta]] { self.flags.heard.withLock(\.deltas) }
    var beats: [StreamBeat] { self.flags.heard.withLock(\.beats) }
    var deltaCount: Int { self.flags.heard.withLock { $0.deltas.values.reduce(0) { $0 + $1.count } } }

    /// Whether it goes on reading its socket.
    func setStuck(_ isStuck: Bool) { self.flags.isStuck.store(isStuck, ordering: .relaxed) }

    private static func listen(
        _ flags: Flags, _ endpoint: String, _ serverKey: [UInt8], _ keys: CurveKeyPair, _ receiveLimit: Int32
    ) throws {
        let context = try Context()
        let socket = try Socket(.subscribe, in: context)
        try socket.set(.linger, to: 0)
        try socket.set(.receiveHighWaterMark, to: receiveLimit)
        try socket.useCurve(keys, server: serverKey)
        try socket.subscribe(to: [])
        try socket.connect(endpoint)
        var poller = Poller()
        var part = MessagePart()
        while !flags.isOver.load(ordering: .relaxed) {
            guard !flags.isStuck.load(ordering: .relaxed) else {
                Thread.sleep(forTimeInterval: 0.01)
                continue
            }
            poller.removeAll()
            _ = poller.add(socket)
            try poller.wait(until: .now + .milliseconds(20))
            while !flags.isStuck.load(ordering: .relaxed), try socket.receive(&part) {
                try Self.take(part.bytes, flags)
            }
        }
    }

    private static func take(_ message: [UInt8], _ flags: Flags) throws {
        let body = Array(message.dropFirst(StreamTopic.size))
        switch StreamTopic(message) {
        case .shard(let shard):
            let delta = try StreamDelta(decoding: body)
            flags.heard.withLock { $0.deltas[shard, default: []].append(delta) }
        case .beat:
            let beat = try StreamBeat(decoding: body)
            flags.heard.withLock { $0.beats.append(beat) }
        case nil: throw WireError(.malformed, "no topic")
        }
    }
}
