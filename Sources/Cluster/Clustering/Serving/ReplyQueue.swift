import DequeModule
import EventLog
import Synchronization
import WireProtocol

/// Replies that wait for the reactor, gathered into frames for each connection; bounded for each, so that a peer that
/// does not read costs no more. A peer that reads, however slowly, gets an answer to each call.
final class ReplyQueue: Sendable {
    private struct Waiting {
        var frames: Deque<FrameWriter> = []
        var bytes = 0
    }

    private let node: NodeID
    private let incarnation: Incarnation
    private let byteLimit: Int
    private let frameSize: Int
    /// Has the reactor send what there is.
    let wake: @Sendable () -> Void
    private let state = Mutex<[ReplyRoute: Waiting]>([:])

    /// - Parameter frameSize: a frame of more bytes is not added to.
    init(
        from node: NodeID, _ incarnation: Incarnation, byteLimit: Int, frameSize: Int,
        wake: @escaping @Sendable () -> Void
    ) {
        self.node = node
        self.incarnation = incarnation
        self.byteLimit = byteLimit
        self.frameSize = frameSize
        self.wake = wake
    }

    /// Beyond the bound an answer says only that; a failure, which may be that nothing ran, says what it is. It leaves when
    /// the reactor turns next.
    func put(_ reply: RemoteReply, on route: ReplyRoute) {
        self.write(to: route) { writer, hasRoom in
            var reply = reply
            if !hasRoom, case .value = reply.outcome { reply.outcome = .failure(Self.tooMuch) }
            writer.add(reply)
        }
    }

    private static let tooMuch = RemoteFailure(.thrown, "it ran, and too many answers wait to be read to add its own")

    func putReset(on route: ReplyRoute) {
        self.write(to: route) { writer, _ in writer.addReset() }
        self.wake()
    }

    /// So much waits there that new calls must not add to it: half of the bound is left to what is under way.
    func isFull(_ route: ReplyRoute) -> Bool {
        self.state.withLock { $0[route].map { $0.bytes >= self.byteLimit / 2 } ?? false }
    }

    private func write(to route: ReplyRoute, _ body: (inout FrameWriter, _ hasRoom: Bool) -> Void) {
        self.state.withLock { state in
            self.write(to: &state[route, default: Waiting()], of: route, body)
        }
    }

    private func write(
        to waiting: inout Waiting, of route: ReplyRoute, _ body: (inout FrameWriter, _ hasRoom: Bool) -> Void
    ) {
        // Whoever goes on calling and reads nothing at all hears nothing.
        guard waiting.bytes < 2 * self.byteLimit else { return }
        let hasRoom = waiting.bytes < self.byteLimit
        if waiting.frames.last.map({ $0.count >= self.frameSize }) ?? true {
            waiting.frames.append(
                FrameWriter(
                    FrameHeader(
                        node: self.node.rawValue, incarnation: self.incarnation.rawValue, addressee: route.caller)))
        }
        let last = waiting.frames.count - 1
        let before = waiting.frames[last].count
        body(&waiting.frames[last], hasRoom)
        waiting.bytes += waiting.frames[last].count - before
    }

    /// Where there is something to say.
    var routes: [ReplyRoute] { self.state.withLock { Array($0.keys) } }

    func takeFrame(for route: ReplyRoute) -> [UInt8]? {
        self.state.withLock { state in
            guard var waiting = state.removeValue(forKey: route), let frame = waiting.frames.popFirst() else {
                return nil
            }
            waiting.bytes -= frame.count
            if !waiting.frames.isEmpty { state[route] = waiting }
            return frame.bytes
        }
    }

    /// The connection is gone, and whoever waits at its other end hears nothing.
    func drop(_ route: ReplyRoute) { self.state.withLock { $0[route] = nil } }
}
